import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { EnrolResponse } from '../../shared/contracts/enrolment.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { programFile } from '../bundle.mjs';
import { readLedger, storeUrl } from '../helpers/ledger.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { respondWith, startNameServer, type TestNameServer } from '../unit/probe/checks/dns/name-server.ts';
import { wireRecord } from '../unit/probe/checks/dns/wire.ts';
import type { Attack } from './attack.ts';
import { fault } from './fault.ts';
import { toOutcome } from './tally.ts';

/** A tenant points a shared probe at private addresses. */
export function privateTargets(on: { readonly attack: Attack }): void {
  const REGION = 'elsewhere';
  /** A public name that resolves to a private address. */
  const PRIVATE_NAME = 'intranet.example.com';

  /** A service that only the probe's own machine should reach. */
  let secret: Target;
  /** A name server in the probe's own network. */
  let internal: TestNameServer;
  let bundle: string;
  let probe: ProbeProcess;
  const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-elsewhere-'));

  beforeAll(async () => {
    const records = [wireRecord({ type: 1, data: Buffer.of(10, 1, 2, 3) })];
    [secret, internal, bundle] = await Promise.all([
      startTarget(), startNameServer(respondWith({ records })), programFile('probe'),
    ]);
    const { session, farwatch } = on.attack.load;
    await session.ok('POST', '/api/regions', {
      id: REGION, name: 'Elsewhere', city: 'Oslo', country: 'NO', visibility: 'shared',
    });
    const { enrolment_token: token } = await session.ok<{ enrolment_token: string }>(
      'POST', '/api/probes', { region_id: REGION, name: 'shared' },
    );
    probe = new ProbeProcess(bundle, dataDir, ['--controller', farwatch.url, '--token', token], {
      PROBE_DNS_SERVERS: `127.0.0.1:${internal.port}`,
    });
    await probe.connected();
  });
  afterAll(async () => {
    await probe?.end();
    await Promise.all([secret?.close(), internal?.close()]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  interface Body {
    type: string;
    target: string;
    [setting: string]: unknown;
  }

  /** Monitors whose targets only the probe's own machine or network should reach. */
  function forbidden(): Body[] {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []).find((one) => !one.internal);
    const nats = new URL((on.attack.probe.enrolment as EnrolResponse).nats_url);
    const pages: Body[] = [
      `http://127.0.0.1:${secret.port}/`, `http://localhost:${secret.port}/`, `http://[::1]:${secret.port}/`,
      'http://169.254.169.254/latest/meta-data/', 'http://[fd00:ec2::254]/latest/meta-data/',
      ...(own?.family === 'IPv4' ? [`http://${own.address}:${secret.port}/`] : []),
    ].map((target) => ({ type: 'HTTP', target }));
    return [
      ...pages,
      { type: 'TCP', target: `${nats.hostname}:${nats.port}` },
      { type: 'TCP', target: `127.0.0.1:${secret.port}` },
      { type: 'ICMP', target: '127.0.0.1' },
      { type: 'DNS', target: 'www.example.com', record_entries: [{ type: 'A' }], dns_server: `127.0.0.1:${internal.port}` },
      ...['printer', 'db.internal', PRIVATE_NAME].map((target) => ({ type: 'DNS', target, record_entries: [{ type: 'A' }] })),
      { type: 'DNS', target: '10.1.2.3', record_entries: [{ type: 'PTR' }] },
    ];
  }

  fault('F58', 'a stranger points a shared probe at its own loopback', async () => {
    const bodies = forbidden();
    const ids = await Promise.all(bodies.map(async (body, at) => {
      const { monitor } = await on.attack.session.ok<{ monitor: { id: string } }>(
        'POST', '/api/monitors', { name: `m${at}`, interval_seconds: 1, monitoring_regions: [REGION], ...body },
      );
      await on.attack.session.call('POST', `/api/monitors/${monitor.id}/check`);
      return monitor.id;
    }));
    const results = await until(async () => {
      const { byMonitor } = await readLedger(storeUrl(on.attack.load.farwatch.log()));
      const found = ids.map((id) => byMonitor.get(id) ?? []);
      const isRefused = (each: CheckResult[]) => each.filter(({ missed }) => missed?.reason === 'blocked_target').length > 1;
      return found.every(isRefused) ? found.flat() : null;
    });
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['missed']));
    for (const id of ids) {
      const { monitor } = await on.attack.session.ok<{ monitor: object }>('GET', `/api/monitors/${id}`);
      expect(monitor).toMatchObject({ runtimeStatus: 'unknown' });
    }
    expect(await on.attack.session.ok('GET', '/api/incidents')).toMatchObject({ incidents: [] });
    const unharmed = await on.attack.expectUnharmed('private');
    expect([secret.count, [...new Set(internal.queries.map(({ name }) => name))]]).toEqual([0, [PRIVATE_NAME]]);
    expect(JSON.stringify(results)).not.toContain('10.1.2.3');
    return toOutcome({ injected: ids.length, ...unharmed },
      `${results.length} checks of private targets, all missed; no connection arrived`);
  });
}
