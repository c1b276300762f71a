import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { batchResponse, type CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { evidenceMessage } from '../helpers/evidence.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

const HOUR_MS = 3_600_000;
/** Far more than a message takes to arrive, and far less than the skew. */
const TOLERANCE_MS = 600_000;

interface EvidenceView {
  checked_at: number;
  last_good: { checked_at: number };
}

let rig: ControllerRig;
let client: MongoClient;

beforeAll(async () => {
  rig = await startControllerRig();
  client = await MongoClient.connect(rig.store.url);
});
afterAll(async () => {
  await client?.close();
  await rig?.stop();
});

/** Reports as a probe whose clock is off by `offMs`. */
async function report(
  probe: TestProbe, monitorId: string, seq: number, offMs: number, outcome: 'success' | 'failure',
): Promise<number> {
  const at = Date.now() + offMs;
  const result: CheckResult = {
    seq, monitor_id: monitorId, assignment_rev: 9, attempt: 1, reason: 'schedule', scheduled_at: at,
    started_at: at, response_time_ms: 5, outcome,
    degraded: false, status_code: outcome === 'success' ? 200 : 500,
    error: outcome === 'success' ? null : { type: 'status_code', message: 'no' },
    missed: null, timings: null, remote_address: null, tls: null, detail: null,
  };
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const bytes =
    encodeBatch({ epoch: 'skewed', engine: 'test', first: seq, last: seq, results: [result], dropped: [] });
  const response = await probe.nats.request(
    subjects.results(shardMap.of(monitorId), region_id, probe_id), bytes, { timeout: 60_000 },
  );
  return batchResponse.parse(JSON.parse(Buffer.from(response.data).toString())).watermark;
}

test.each(
  [['ahead', HOUR_MS], ['behind', -HOUR_MS]],
)('a probe whose clock is an hour %s is flagged, and its times are corrected', async (direction, offMs) => {
  const probe = await rig.probe(direction);
  const { probe_id: id } = probe.enrolment as { probe_id: string };
  const shown = await until(async () => {
    probe.beat({ sent_at: Date.now() + offMs });
    const { probe: seen } = await rig.session.ok<{ probe: {
      reason: string | null;
      status: string;
      clock_offset_ms: number | null;
    } }>('GET', `/api/probes/${id}`);
    return seen.reason === null || seen.status !== 'online' ? null : seen;
  }, { what: 'the skew is reported' });
  expect(shown.reason).toBe(`Its clock is off by ${Math.round((shown.clock_offset_ms ?? 0) / 1000)} s`);
  expect(Math.abs((shown.clock_offset_ms ?? 0) + offMs)).toBeLessThan(TOLERANCE_MS);
  const { monitor } = await rig.session.ok<{ monitor: { id: string } }>(
    'POST', '/api/monitors',
    { name: direction, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 300 },
  );
  const before = Date.now();
  await until(async () => (await client.db().collection<{ _id: string; unjournaled?: number }>(
    'monitors',
  ).findOne({ _id: monitor.id }))?.unjournaled === undefined, { what: 'the owner knows it' });
  expect(await report(probe, monitor.id, 1, offMs, 'success')).toBe(1);
  const states = client.db().collection<{ _id: string; state: { status: string; last_check_at: number } }>(
    'monitor_states',
  );
  const state = await until(async () => {
    const found = await states.findOne({ _id: monitor.id });
    return found?.state.status === 'up' ? found.state : null;
  }, { what: 'the monitor is up' });
  expect(Math.abs(state.last_check_at - before)).toBeLessThan(TOLERANCE_MS);
  const { incidents } =
    await rig.session.ok<{ incidents: unknown[] }>('GET', `/api/incidents?check_id=${monitor.id}`);
  expect(incidents).toEqual([]);
  const seen = await until(async () => {
    const message = evidenceMessage(monitor.id, Date.now() + offMs);
    probe.nats.publish(subjects.evidence('local', id), JSON.stringify(message));
    const path = `/api/monitors/${monitor.id}/evidence?limit=1`;
    return (await rig.session.ok<{ evidence: EvidenceView[] }>('GET', path)).evidence[0];
  }, { what: 'evidence', everyMs: 500 });
  for (const { checked_at: at } of [seen, seen.last_good]) {
    expect(Math.abs(at - before)).toBeLessThan(TOLERANCE_MS);
  }
  // So that the next monitor is assigned to the next probe.
  await rig.session.ok('DELETE', `/api/probes/${id}`);
});
