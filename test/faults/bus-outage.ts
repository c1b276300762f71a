import { afterAll, beforeAll, expect } from 'vitest';
import { programFile } from '../bundle.mjs';
import { passTime } from '../helpers/pass-time.ts';
import { until } from '../helpers/until.ts';
import { FarProbe } from './far-probe.ts';
import { fault } from './fault.ts';
import type { Load } from './load.ts';
import type { Parts } from './parts.ts';
import { outageMs, repeats, toOutcome } from './tally.ts';

const INTERVAL_MS = 2000;
const MINUTE_MS = 60_000;
/** A result is late after a minute. */
const LATE_AFTER_MS = 65_000;

interface Row {
  checked_at: number;
  received_at: number;
  outcome: string;
  late: boolean;
  probe_id: string;
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/** Probes continue while they cannot reach NATS. */
export function busOutage(on: { readonly load: Load<Parts> }): void {
  let far: FarProbe;

  beforeAll(async () => {
    const natsPort = Number(new URL(on.load.farwatch.nats.url).port);
    far = await FarProbe.start(on.load, await programFile('probe'), 'far', natsPort);
  });
  afterAll(() => far?.close());

  const createMonitor = async (path: string, monitoring_regions: string[]): Promise<string> => {
    const id = await on.load.createMonitor(path, { monitoring_regions, confirmation_policy: { regions: 'any', retries: 1 } });
    await statusIs(id, 'up');
    return id;
  };

  const statusIs = (id: string, status: string) =>
    until(async () => (await on.load.statusOf(id)) === status, { what: `${id} is ${status}`, everyMs: 250 });

  /** All results of a monitor, oldest first, as the API returns them. */
  async function resultsOf(id: string): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { results: Row[]; next_cursor: string | null } = await on.load.session.ok(
        'GET', `/api/monitors/${id}/results?limit=500${cursor && `&cursor=${cursor}`}`,
      );
      rows.push(...page.results);
      cursor = page.next_cursor;
    }
    return rows.reverse();
  }

  /** Lets a few checks fail. */
  async function failFor(path: string): Promise<void> {
    on.load.target.respondWith({ status: 503 }, path);
    const from = on.load.target.countOf(path);
    await until(() => on.load.target.countOf(path) >= from + 4, { what: 'checks fail' });
    on.load.target.respondWith({ status: 200 }, path);
  }

  /**
   * Waits until all results have arrived, and compares them with the checks that the target saw: each is stored
   * once. Returns the number of checks between two times, and the tally with this many incidents and no alerts.
   */
  async function countStored(ids: string[], from: number, to: number) {
    let [checked, stored] = [0, 0];
    await on.load.drain();
    for (const id of ids) {
      const rows = (await resultsOf(id)).filter(({ outcome }) => outcome !== 'missed');
      expect(rows).toHaveLength(on.load.countOf(id));
      stored += rows.length;
      checked += rows.filter(({ checked_at: at }) => at >= from && at < to).length;
    }
    const results = { issued: stored, stored, lost: 0, duplicated: 0, left: 0 };
    const alerts = { expected: 0, delivered: 0, repeated: 0 };
    const tallyOf = (count: number) =>
      ({ injected: 1, results, incidents: { expected: count, opened: count }, alerts });
    return { checked, tallyOf };
  }

  async function lateIncidents(id: string): Promise<boolean[]> {
    const { incidents } = await on.load.session.ok<{ incidents: { check_id: string; late: boolean }[] }>(
      'GET', '/api/incidents?limit=100',
    );
    return incidents.filter(({ check_id: of }) => of === id).map(({ late }) => late);
  }

  fault('F7', 'NATS is down, then starts again', async () => {
    const { nats } = on.load.farwatch;
    const ids = [await createMonitor('/steady-local', ['local']), await createMonitor('/steady-far', ['far'])];
    const seen = () => ids.reduce((sum, id) => sum + on.load.countOf(id), 0);
    await nats.kill9();
    const downAt = Date.now();
    const before = seen();
    const untilAt = downAt + outageMs(repeats(15_000, 60_000), 10 * MINUTE_MS);
    const statuses = new Set<string>();
    while (Date.now() < untilAt) {
      for (const id of ids) {
        statuses.add(await on.load.statusOf(id));
        await on.load.session.ok('GET', `/api/monitors/${id}/results`);
        await on.load.session.ok('GET', `/api/monitors/${id}/stats`);
      }
      await passTime(1000);
    }
    const meanwhile = seen() - before;
    const upAt = Date.now();
    await nats.restart();
    for (const id of ids) await statusIs(id, 'up');
    const { checked, tallyOf } = await countStored(ids, downAt, upAt);
    expect(Math.abs(checked - meanwhile)).toBeLessThanOrEqual(ids.length);
    expect(checked).toBeGreaterThan(0.8 * ids.length * (upAt - downAt) / INTERVAL_MS);
    expect([...statuses]).not.toContain('down');
    expect(await on.load.incidents()).toEqual([]);
    expect(ids.flatMap((id) => on.load.alertsOf(id))).toEqual([]);
    return toOutcome(tallyOf(0), `${checked} results of ${seconds(upAt - downAt)} without NATS`);
  });

  fault('F10', 'a probe that reaches its targets is disconnected from NATS; its target fails and recovers', async () => {
    const [farOnly, shared] = [await createMonitor('/only-far', ['far']), await createMonitor('/also-local', ['local', 'far'])];
    const cutAt = Date.now();
    far.nats.drop();
    await statusIs(farOnly, 'unknown');
    await failFor('/only-far');
    await passTime(outageMs(LATE_AFTER_MS, 60 * MINUTE_MS));
    const mendedAt = Date.now();
    far.nats.heal();
    await statusIs(farOnly, 'up');
    const { checked, tallyOf } = await countStored([farOnly, shared], cutAt, mendedAt);
    const late = (await resultsOf(farOnly)).filter((row) => row.late);
    expect(late.length).toBeGreaterThan(0);
    for (const row of late) expect(row.received_at).toBeGreaterThanOrEqual(mendedAt);
    expect(await lateIncidents(farOnly)).toEqual([true]);
    expect(await lateIncidents(shared)).toEqual([]);
    expect([...on.load.alertsOf(farOnly), ...on.load.alertsOf(shared)]).toEqual([]);
    return toOutcome(tallyOf(1), `${checked} results of ${seconds(mendedAt - cutAt)}, ${late.length} of one monitor late`);
  });
}
