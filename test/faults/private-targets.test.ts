import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { bundleFile } from '../bundle.mjs';
import { readLedger, storeUrl } from '../helpers/ledger.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { Attack } from './attack.ts';
import { fault } from './fault.ts';

const REGION = 'elsewhere';

let attack: Attack;
/** A service that only the probe's own machine should reach. */
let secret: Target;
let bundle: string;
let probe: ProbeProcess;
const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-elsewhere-'));

beforeAll(async () => {
  // The victim's targets are on this machine: its probe may reach them by a range of its own.
  attack = await Attack.start({ PROBE_ALLOW_PRIVATE: 'false', PROBE_ALLOW_CIDRS: '127.0.0.0/8' });
  [secret, bundle] = await Promise.all([startTarget(), bundleFile('probe/main.ts')]);
  const { session, farwatch } = attack.load;
  await session.ok('POST', '/api/regions', {
    id: REGION, name: 'Elsewhere', city: 'Oslo', country: 'NO', visibility: 'shared',
  });
  const { enrolment_token: token } = await session.ok<{ enrolment_token: string }>(
    'POST', '/api/probes', { region_id: REGION, name: 'shared' },
  );
  probe = new ProbeProcess(bundle, dataDir, ['--controller', farwatch.url, '--token', token]);
  await probe.connected();
});
afterAll(async () => {
  await probe?.end();
  await attack?.stop();
  await secret?.close();
  for (const path of [dataDir, bundle]) rmSync(path, { recursive: true, force: true });
});

fault('F58', 'a stranger points a shared probe at its own loopback', async () => {
  const targets = [
    `http://127.0.0.1:${secret.port}/`, `http://localhost:${secret.port}/`, `http://[::1]:${secret.port}/`,
    'http://169.254.169.254/latest/meta-data/',
  ];
  const ids = await Promise.all(targets.map(async (target) => {
    const body = { name: target, type: 'HTTP', target, interval_seconds: 1, monitoring_regions: [REGION] };
    const { monitor } = await attack.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', body);
    await attack.session.call('POST', `/api/monitors/${monitor.id}/check`);
    return monitor.id;
  }));
  const outcomes = await until(async () => {
    const { byMonitor } = await readLedger(storeUrl(attack.load.farwatch.log()));
    const found = ids.map((id) => byMonitor.get(id) ?? []);
    return found.every((results) => results.length >= 2) ? found.flat().map((result) => result.outcome) : null;
  });
  expect(new Set(outcomes)).toEqual(new Set(['missed']));
  expect(secret.count).toBe(0);
  await attack.expectUnharmed('private');
  expect(secret.count).toBe(0);
  return `${outcomes.length} checks of ${targets.length} private targets, all missed; no connection arrived`;
});
