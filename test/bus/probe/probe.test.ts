import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Assignment } from '../../../shared/contracts/assignment.ts';
import { newId } from '../../../shared/ids.ts';
import { natsVersions } from '../../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../../helpers/nats-server.ts';
import { startTarget, type Target } from '../../helpers/target.ts';
import { until } from '../../helpers/until.ts';
import { ControllerPeer, lanesWhole, TOKEN } from './controller-peer.ts';
import { bundleProbe, ProbeProcess } from './probe-process.ts';

let bundle = '';
beforeAll(async () => {
  bundle = await bundleProbe();
});

describe.each(natsVersions())('a probe on the %s server', (version) => {
  let nats: TestNats;
  let peer: ControllerPeer;
  let target: Target;
  let dataDir = '';
  let url = '';
  const running: ProbeProcess[] = [];

  beforeEach(async () => {
    nats = await startNats({ version });
    peer = new ControllerPeer(nats);
    await peer.start();
    url = await peer.listen();
    target = await startTarget();
    dataDir = mkdtempSync(join(tmpdir(), 'farwatch-probe-'));
  });
  afterEach(async () => {
    for (const probe of running.splice(0)) await probe.end('SIGKILL');
    await target.close();
    await peer.stop();
    await nats.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const startProbe = (args: string[] = []): ProbeProcess => {
    const probe = new ProbeProcess(bundle, dataDir, args);
    running.push(probe);
    return probe;
  };
  const enrolProbe = () => startProbe(['--controller', url, '--token', TOKEN]);

  const monitor = (overrides: Partial<Assignment> = {}): Assignment => {
    const id = newId(Date.now());
    return {
      monitor_id: id, organization_id: newId(1), project_id: newId(2), assignment_rev: 1, interval_ms: 300, timeout_ms: 300, phase_ms: 120, retries: 1,
      spec: { type: 'HTTP', url: `${target.url}/${id}`, method: 'GET', headers: {}, body: null, follow_redirects: true, max_redirects: 5, verify_ssl: true, expected_status: [], slow_response_threshold_ms: null },
      ...overrides,
    };
  };

  test('enrols, takes its assignments over, checks and tells what it found', async () => {
    const one = monitor();
    peer.change({ set: one }, { announce: false });
    const probe = enrolProbe();
    await probe.connected();
    await until(() => peer.results.length >= 4, { what: 'results arrive' });
    const [first] = peer.results;
    expect(first).toMatchObject({ monitor_id: one.monitor_id, outcome: 'success', status_code: 200, attempt: 1, remote_address: '127.0.0.1' });
    expect(statSync(join(dataDir, 'identity.json')).mode & 0o777).toBe(0o600);
    expect(await probe.end()).toBe(0);
    await lanesWhole(peer);
    expect(probe.said('stopped')).toMatchObject({ spool_depth: 0 });
  });
});

afterAll(() => rmSync(bundle, { force: true }));
