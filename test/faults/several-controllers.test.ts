import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { EventClient } from '../helpers/event-client.ts';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import { fault, longFault, type Outcome } from './fault.ts';
import { Load } from './load.ts';
import { Several, type Member } from './several.ts';
import { countResults, repeats, SEED, toOutcome } from './tally.ts';

const MONITORS = repeats(6, 30);
const STOPPED_MS = repeats(12, 60) * 1000;
/** Longer than a status holds without results. */
const BACKLOG_MS = 8000;

const random = randomOf(SEED);
let several: Several;
let load: Load<Several>;
beforeAll(async () => {
  several = await Several.start(3);
  load = await Load.on(Promise.resolve(several), several.store);
});
afterEach(() => load.forget());
afterAll(async () => {
  await (load ?? several)?.stop();
});

const others = (victim: Member): Member[] => several.members.filter((member) => member !== victim);
const isAlerted = (id: string, event: string) =>
  until(() => load.alertsOf(id).some((alert) => alert.event === event), { what: event });

type Step = (victim: Member) => unknown;

/**
 * Injects a fault into the owner of a failing monitor, ends it when the others have alerted, and
 * lets the monitor recover. Resolves to the time from the fault until the others owned all shards, ms.
 */
async function outage(path: string, harm: Step, mend: Step, before: Step = () => undefined): Promise<number> {
  const id = await load.createMonitor(path);
  await until(async () => (await load.statusOf(id)) === 'up', { what: 'up' });
  const victim = await several.ownerOf(id);
  load.target.respondWith({ status: 503 }, path);
  await before(victim);
  await passTime(random() * 3000);
  const harmedAt = performance.now();
  await harm(victim);
  await several.sharedBy(others(victim));
  const takenMs = performance.now() - harmedAt;
  await isAlerted(id, 'monitor.down');
  await mend(victim);
  await several.sharedBy();
  load.target.respondWith({ status: 200 }, path);
  await isAlerted(id, 'monitor.up');
  return takenMs;
}

/** Counts the effects of the outages; each is one incident, with an alert at its start and its end. */
async function outcome(injected: number, takenMs: number[], mayRepeat: number): Promise<Outcome> {
  const outages = load.ids.filter((id) => load.alertsOf(id).length > 0);
  expect(outages).toHaveLength(injected);
  const incidents = await until(async () => {
    const found = await load.incidents();
    return found.every(({ status }) => status === 'resolved') && found;
  }, { what: 'incidents are resolved' });
  expect(incidents.map(({ check_id: id }) => id).toSorted()).toEqual(outages.toSorted());
  const results = await countResults(load);
  await Promise.all(load.ids.map((id) => until(async () => {
    // Checks that the target saw while its probe had problems are stored as missed, which statistics do not count.
    expect(await load.checksOf(id)).toBe(results.storedOf.get(id));
    return true;
  }, { what: `statistics count all checks of ${id}` })));
  const alerts = outages.flatMap((id) => load.alertsOf(id).map(({ event, incident }) => `${event} ${incident.id}`));
  const delivered = new Set(alerts).size;
  const repeated = alerts.length - delivered;
  expect(delivered).toBe(2 * injected);
  expect(repeated).toBeLessThanOrEqual(mayRepeat);
  const taken = `shards elsewhere after at most ${(Math.max(...takenMs) / 1000).toFixed(1)} s`;
  return toOutcome({
    injected, results, incidents: { expected: injected, opened: incidents.length },
    alerts: { expected: 2 * injected, delivered, repeated }, seed: SEED,
  }, taken);
}

fault('F1', 'one of three controllers is killed, and its live streams continue on another', async () => {
  const kills = repeats(1, 10);
  await load.steady(MONITORS, 'kill');
  const { key } = await load.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'reader' });
  const credential = { 'x-api-key': key };
  const takenMs: number[] = [];
  for (let round = 0; round < kills; round += 1) {
    const streams: { broken?: EventClient; witness?: EventClient; resumed?: EventClient } = {};
    const elsewhere = (victim: Member): string => others(victim)[0]?.url ?? '';
    takenMs.push(await outage(`/kill-outage/${round}`, async ({ process }) => {
      await process.kill9();
    }, async (victim) => {
      await until(() => streams.broken?.isEnded, { what: 'the stream breaks' });
      const from = streams.broken?.lastEventId;
      streams.resumed = await EventClient.open(elsewhere(victim), credential, from);
      await victim.restart();
    }, async (victim) => {
      streams.witness = await EventClient.open(elsewhere(victim), credential);
      streams.broken = await EventClient.open(victim.url, credential);
      await streams.broken.next('result');
    }));
    const { broken, witness, resumed } = streams as Required<typeof streams>;
    await resumed.next('incident', ({ status }) => status === 'resolved');
    const seen = [...broken.events, ...resumed.events].map(({ id }) => id);
    const first = witness.events.findIndex(({ id }) => id === broken.events[0]?.id);
    const last = witness.events.findIndex(({ id }) => id === seen.at(-1));
    const missed = witness.events.slice(first, last + 1).filter(({ id }) => !seen.includes(id));
    expect(first).toBeGreaterThanOrEqual(0);
    expect(missed).toEqual([]);
    expect(resumed.events.map(({ event }) => event)).not.toContain('resync');
    for (const stream of [broken, witness, resumed]) stream.close();
  }
  return outcome(kills, takenMs, kills);
});

longFault('F27', `the owner is suspended for ${STOPPED_MS / 1000} s, longer than its leases, and resumes`, async () => {
  const stops = repeats(1, 5);
  await load.steady(MONITORS, 'suspended');
  const takenMs: number[] = [];
  for (let round = 0; round < stops; round += 1) {
    let wakesAt = 0;
    takenMs.push(await outage(`/suspended-outage/${round}`, (victim) => {
      wakesAt = performance.now() + STOPPED_MS;
      victim.process.signal('SIGSTOP');
    }, async (victim) => {
      await passTime(Math.max(0, wakesAt - performance.now()));
      victim.process.signal('SIGCONT');
    }));
  }
  return outcome(stops, takenMs, stops);
});

fault('F9', 'one of three controllers is disconnected from the database', async () => {
  const cuts = repeats(1, 5);
  await load.steady(MONITORS, 'database');
  const takenMs: number[] = [];
  for (let round = 0; round < cuts; round += 1) {
    takenMs.push(await outage(
      `/database-outage/${round}`, ({ toMongo }) => toMongo.drop(), ({ toMongo }) => toMongo.heal(),
    ));
  }
  return outcome(cuts, takenMs, cuts);
});

fault('F26', 'the owner receives nothing from the bus, while it reaches the database', async () => {
  const cuts = repeats(1, 5);
  await load.steady(MONITORS, 'bus');
  const takenMs: number[] = [];
  for (let round = 0; round < cuts; round += 1) {
    takenMs.push(await outage(
      `/bus-outage/${round}`, ({ toNats }) => toNats.drop(), ({ toNats }) => toNats.heal(),
    ));
  }
  // The monitors are paused next, while their results are in transit.
  for (const { toNats } of several.members) toNats.drop();
  await passTime(BACKLOG_MS);
  for (const { toNats } of several.members) toNats.heal();
  return outcome(cuts, takenMs, cuts);
});

longFault('F39', 'the controllers are restarted one after another under load', async () => {
  const rounds = repeats(1, 3);
  await load.steady(MONITORS, 'rolling');
  const takenMs: number[] = [];
  const exitMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const member of several.members) {
      takenMs.push(await outage(`/rolling-outage/${round}/${member.name}`, async (victim) => {
        const from = performance.now();
        victim.process.signal('SIGTERM');
        await victim.process.ended();
        exitMs.push(performance.now() - from);
        expect(victim.process.exitCode).toBe(0);
      }, (victim) => victim.restart()));
    }
  }
  const { outcome: text, invariants } = await outcome(exitMs.length, takenMs, 0);
  const slowest = (Math.max(...exitMs) / 1000).toFixed(1);
  return { outcome: `${text}; exit within ${slowest} s of SIGTERM`, invariants };
});
