import { afterEach, beforeEach, expect } from 'vitest';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { readLedger } from '../helpers/ledger.ts';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { checked, lettersOf, post, postAll, type Letter } from './sender.ts';
import { repeats, SEED, toOutcome } from './tally.ts';

const REGIONS = ['north', 'south', 'west'];

let rig: ControllerRig;
let probes: TestProbe[];
let beats: NodeJS.Timeout;
beforeEach(async () => {
  rig = await startControllerRig({ REGISTRATION: 'open' });
  probes = [];
  for (const id of REGIONS) {
    await rig.session.ok('POST', '/api/regions', { id, name: id, city: id, country: 'DE' });
    probes.push(await rig.probe(`probe-${id}`, { session: rig.session, region: id }));
  }
  beats = setInterval(() => probes.forEach((probe) => probe.beat()), 2000);
  await Promise.all(probes.map((probe) => probe.follow()));
});
afterEach(async () => {
  clearInterval(beats);
  await rig.stop();
});

async function createMonitors(count: number, name: string, intervalSeconds = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const body = {
      name: `${name}-${at}`, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: intervalSeconds,
      monitoring_regions: REGIONS,
    };
    ids.push((await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', body)).monitor.id);
  }
  // Results of a probe that does not have the monitor yet are history and cause no outage.
  await until(() => probes.every(({ held }) => ids.every((id) => held.has(id))), { what: 'the probes have the monitors' });
  return ids;
}

interface Stats {
  runtime_status: string;
  total_checks: number;
  failed_checks: number;
  uptime_percentage: number;
}

const statsOf = async (id: string): Promise<Stats> => {
  const { runtime_status, total_checks, failed_checks, uptime_percentage } =
    await rig.session.ok<Stats>('GET', `/api/monitors/${id}/stats`);
  return {
    runtime_status, total_checks, failed_checks, uptime_percentage: Math.round(uptime_percentage * 100) / 100,
  };
};
const incidentsOf = async (id: string) =>
  (await rig.session.ok<{ incidents: { status: string; started_at: string; resolved_at: string | null }[] }>(
    'GET', `/api/incidents?check_id=${id}`,
  )).incidents
    .map(({ status, started_at, resolved_at }) => ({ status, started_at, resolved_at }));

/** Posts the letters of each lane one after another. */
async function postInOrder(letters: Letter[], each: (letters: Letter[]) => Letter[]): Promise<void> {
  for (let index = 0; letters.some((letter) => letter.index >= index); index += 1) {
    await postAll(each(letters.filter((letter) => letter.index === index)), (left) => left);
  }
}

/** A check per second and region; all regions fail in the middle third. */
function outageResults(ids: string[], from: number, seconds: number): CheckResult[] {
  return Array.from({ length: seconds }, (_, at) => at).flatMap(
    (at) => ids.map((id) => checked(id, from + at * 1000, at < seconds / 3 || at >= (2 * seconds) / 3)),
  );
}

fault('F23', 'every message arrives three times, and all of them again at the end', async () => {
  const monitors = repeats(4, 50);
  const seconds = 18;
  const ids = await createMonitors(monitors, 'thrice');
  const from = Date.now();
  await passTime(seconds * 1000);
  const letters = probes.flatMap((probe) => lettersOf(probe, 'life', outageResults(ids, from, seconds)));
  await postInOrder(letters, (next) => next.flatMap((letter) => [letter, letter, letter]));
  await Promise.all(letters.map((letter) => post(letter)));
  const issued = seconds * REGIONS.length;
  for (const id of ids) {
    await until(async () => (await statsOf(id)).total_checks === issued, { what: 'all are counted' });
    await until(async () => (await incidentsOf(id))[0]?.status === 'resolved', { what: 'resolved' });
    expect(await incidentsOf(id)).toHaveLength(1);
  }
  const ledger = await readLedger(rig.store.url, rig.store.database);
  expect(ledger.holes).toEqual([]);
  expect([...ledger.byMonitor.values()].map((results) => results.length)).toEqual(ids.map(() => issued));
  const total = issued * monitors;
  return toOutcome({
    injected: letters.length * 3,
    results: { issued: total, stored: ledger.results, lost: 0, duplicated: ledger.results - total },
    incidents: { expected: monitors, opened: monitors },
  });
});

function shuffler(random: () => number) {
  return <T>(items: T[]): T[] =>
    items.map((item) => ({ item, key: random() })).toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

/** The monitor's outages, newest first, Unix ms. */
async function outagesOf(id: string): Promise<{ from: number; to: number | null }[]> {
  const { history } = await rig.session.ok<{ history: {
    status: string;
    from: number;
    to: number | null;
  }[] }>('GET', `/api/monitors/${id}/status-history`);
  return history.filter(({ status }) => status === 'down').map(({ from, to }) => ({ from, to }));
}

fault('F24', 'results arrive shuffled between lanes and batches of a lane out of order, with a stale backfill among them', async () => {
  const [monitors, rounds, seconds] = [repeats(4, 50), repeats(1, 3), 18];
  const shuffled = shuffler(randomOf(SEED));
  let [issued, sent] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    // An interval long enough that no region falls silent before everything is processed.
    const [ordered, stirred] =
      [await createMonitors(monitors, `ordered-${round}`, 120), await createMonitors(monitors, `stirred-${round}`, 120)];
    const from = Date.now();
    const stale = (ids: string[]) =>
      ids.flatMap((id) => [0, 1, 2, 3].map((at) => checked(id, from - 600_000 + at * 1000, false)));
    const lettersFor = (ids: string[], of: string) => probes.flatMap((probe) => [
      ...lettersOf(probe, `stale-${of}-${round}`, stale(ids)),
      ...lettersOf(probe, `life-${of}-${round}`, outageResults(ids, from, seconds)),
    ]);
    await passTime(seconds * 1000);
    await Promise.all([
      postInOrder(lettersFor(ordered, 'ordered'), (letters) => letters),
      postAll(lettersFor(stirred, 'stirred'), shuffled).then((count) => (sent += count)),
    ]);
    const [down, up] = [from + (seconds / 3) * 1000, from + (2 * seconds / 3) * 1000];
    const each = (seconds + 4) * REGIONS.length;
    const truth = {
      runtime_status: 'up', total_checks: each, failed_checks: (seconds / 3 + 4) * REGIONS.length,
      outages: [{ from: down, to: up }],
      incidents: [{
        status: 'resolved', started_at: new Date(down).toISOString(), resolved_at: new Date(up).toISOString(),
      }],
    };
    for (const id of [...ordered, ...stirred]) {
      const found = async () => {
        const { uptime_percentage: _grows, ...stats } = await statsOf(id);
        return { ...stats, outages: await outagesOf(id), incidents: await incidentsOf(id) };
      };
      await expect.poll(found, {
        timeout: 300_000,
        message: `FARWATCH_SEED=${SEED}, round ${round}, ${ordered.includes(id) ? 'ordered' : 'shuffled'}`,
      })
        .toEqual(truth);
    }
    issued += 2 * monitors * each;
  }
  const ledger = await readLedger(rig.store.url, rig.store.database);
  expect(ledger.holes).toEqual([]);
  expect(ledger.results).toBe(issued);
  const incidents = 2 * monitors * rounds;
  return toOutcome(
    {
      injected: sent, results: { issued, stored: ledger.results, lost: 0, duplicated: 0 },
      incidents: { expected: incidents, opened: incidents }, seed: SEED,
    },
    'state, times and incidents equal those of the ordered run',
  );
});
