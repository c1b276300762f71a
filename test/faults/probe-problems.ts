import { afterAll, describe, expect } from 'vitest';
import { readLedger, storeUrl } from '../helpers/ledger.ts';
import { until } from '../helpers/until.ts';
import { FakeTime } from './fake-time.ts';
import { fault, longFault } from './fault.ts';
import type { Load } from './load.ts';
import type { Parts, ProbePart } from './parts.ts';
import { toOutcome } from './tally.ts';

const HOUR_S = 3600;
/** Far longer than anything takes here, and far less than the clock errors. */
const TOLERANCE_MS = 600_000;

interface ProbeView {
  status: string;
  reason: string | null;
  quarantine: { reason: string } | null;
}

/** Probes whose clock or identity is wrong. `library` changes the clock of a process. */
export function probeProblems(on: { readonly load: Load<Parts> }, library: string | null): void {
  let clocks: FakeTime[] = [];
  const skewed: ProbePart[] = [];

  const view = async ({ id }: ProbePart): Promise<ProbeView> =>
    (await on.load.session.ok<{ probe: ProbeView }>('GET', `/api/probes/${id}`)).probe;

  const quarantined = (probe: ProbePart): Promise<string> => until(
    async () => (await view(probe)).quarantine?.reason, { what: 'the probe is quarantined', everyMs: 250 },
  );

  const statusIs = (id: string, status: string) =>
    until(async () => (await on.load.statusOf(id)) === status, { what: `${id} is ${status}`, everyMs: 100 });

  async function outcomesOf(id: string) {
    const { results } = await on.load.session.ok<{ results: { region: string }[] }>(
      'GET', `/api/monitors/${id}/results?limit=100`,
    );
    return results;
  }

  /** An outage while some probes have problems: one incident, alerted once. */
  async function outage(id: string, path: string): Promise<void> {
    on.load.target.respondWith({ status: 503 }, path);
    await until(() => on.load.alertsOf(id).length === 1, { what: 'monitor.down' });
    on.load.target.respondWith({ status: 200 }, path);
    await until(() => on.load.alertsOf(id).length === 2, { what: 'monitor.up' });
    expect(on.load.alertsOf(id).map(({ event }) => event)).toEqual(['monitor.down', 'monitor.up']);
    expect(await on.load.incidents([id])).toMatchObject([{ status: 'resolved' }]);
  }

  describe.runIf(library !== null)('with libfaketime', () => {
    afterAll(async () => {
      await Promise.all(skewed.map((probe) => probe.end('SIGKILL')));
      clocks.forEach((clock) => clock.remove());
    });

    fault('F16', 'the clocks of two probes of four are an hour ahead and an hour behind', async () => {
      const { farwatch: parts, session } = on.load;
      clocks = [HOUR_S, -HOUR_S].map((offsetSeconds) => new FakeTime(library ?? '', offsetSeconds));
      const since = Date.now();
      for (const region of ['sound', 'other']) await parts.probe(session, region);
      const ahead = await parts.probe(session, 'ahead', { env: clocks[0]?.env });
      const behind = await parts.probe(session, 'behind', { env: clocks[1]?.env });
      skewed.push(ahead, behind);
      await until(async () => (await view(ahead)).reason !== null && (await view(behind)).reason !== null, {
        what: 'both are flagged',
      });
      const id = await on.load.createMonitor('/skewed', {
        monitoring_regions: ['sound', 'other', 'ahead', 'behind'],
        confirmation_policy: { regions: 'majority', retries: 0 },
      });
      await until(async () => new Set((await outcomesOf(id)).map(({ region }) => region)).size === 4, {
        what: 'results of all four',
      });
      const reasons = await Promise.all([quarantined(ahead), quarantined(behind)]);
      expect(reasons[0]).toMatch(/^Its clock is off by -36\d\d s$/);
      expect(reasons[1]).toMatch(/^Its clock is off by 3[56]\d\d s$/);
      expect(await on.load.incidents()).toEqual([]);
      await outage(id, '/skewed');
      const { byMonitor } = await readLedger(storeUrl(parts.log()));
      const results = byMonitor.get(id) ?? [];
      for (const { started_at: at } of results) {
        expect(at).toBeGreaterThan(since - TOLERANCE_MS);
        expect(at).toBeLessThan(Date.now() + TOLERANCE_MS);
      }
      return toOutcome({
        injected: 2, incidents: { expected: 1, opened: 1 }, alerts: { expected: 2, delivered: 2, repeated: 0 },
        deaths: await parts.deaths(),
      }, `${results.length} results with right times; ${reasons.join('; ')}`);
    });
  });

  longFault('F61', 'two processes use the identity of one probe, the second with a copy of its data', async () => {
    const { farwatch: parts, session } = on.load;
    const probe = await parts.probe(session, 'pair', { name: 'doubled' });
    await parts.probe(session, 'pair', { name: 'heir' });
    const confirmation_policy = { regions: 'any', retries: 0 };
    const paths = Array.from({ length: 8 }, (_, at) => `/doubled/${at}`);
    const ids: string[] = [];
    for (const path of paths) {
      ids.push(await on.load.createMonitor(path, { monitoring_regions: ['pair'], confirmation_policy }));
    }
    await Promise.all(ids.map((id) => statusIs(id, 'up')));
    const twin = await parts.twin(probe);
    const startedAt = performance.now();
    const reason = await quarantined(probe);
    const tookMs = performance.now() - startedAt;
    expect(reason).toMatch(/^Two processes use this identity; stop the older one/);
    // The region's other probe has all monitors, and its votes count.
    await Promise.all(ids.map((id, at) => outage(id, paths[at] as string)));
    await twin.end('SIGKILL');
    const { byMonitor, holes } = await readLedger(storeUrl(parts.log()));
    expect(holes).toEqual([]);
    for (const id of ids) {
      const made = (byMonitor.get(id) ?? []).filter(({ outcome }) => outcome !== 'missed');
      expect(made.length, 'stored, of those made').toBeLessThanOrEqual(on.load.countOf(id));
    }
    const alerts = { expected: 2 * ids.length, delivered: 2 * ids.length, repeated: 0 };
    return toOutcome(
      { injected: 1, incidents: { expected: ids.length, opened: ids.length }, alerts, deaths: await parts.deaths() },
      `quarantined after ${(tookMs / 1000).toFixed(1)} s`,
    );
  });
}
