import { MongoClient, type Document } from 'mongodb';
import { afterEach, beforeEach, expect } from 'vitest';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { readLedger } from '../helpers/ledger.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { checked, lettersOf, post, postAll } from './sender.ts';
import { repeats, toOutcome } from './tally.ts';

let rig: ControllerRig;
let client: MongoClient;
let victim: ApiSession;
/** Both are in the only shared region. */
let probes: [TestProbe, TestProbe];
let beats: NodeJS.Timeout;
let epochs = 0;

beforeEach(async () => {
  rig = await startControllerRig({ REGISTRATION: 'open' });
  client = await MongoClient.connect(rig.store.url);
  victim = await new ApiSession(rig.controller.url).begin('victim@example.com');
  await client.db().collection('users').updateMany({}, { $set: { email_verified: true } });
  probes = [await rig.probe('one'), await rig.probe('two')];
  for (const probe of probes) await probe.follow();
  beats = setInterval(() => probes.forEach((probe) => probe.beat()), 1000);
});
afterEach(async () => {
  clearInterval(beats);
  await client?.close();
  await rig?.stop();
});

const idOf = (probe: TestProbe): string => probe.enrolment?.probe_id ?? '';

/** A monitor of the victim, and the probe that it is assigned to. */
async function createMonitor(name: string): Promise<{ id: string; holder: TestProbe; other: TestProbe }> {
  const { monitor: { id } } = await victim.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
    name, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 300,
    confirmation_policy: { regions: 'majority', retries: 0 },
  });
  const holder = await until(() => probes.find((probe) => probe.held.has(id)), { what: 'it is assigned' });
  return { id, holder, other: probes.find((probe) => probe !== holder) as TestProbe };
}

/** Sends results in separate lanes until they are acknowledged; returns how many. */
async function report(probe: TestProbe, results: CheckResult[]): Promise<number> {
  epochs += 1;
  await postAll(lettersOf(probe, `epoch-${epochs}`, results), (letters) => letters);
  return results.length;
}

const incidentsOf = async (id: string) =>
  (await victim.ok<{ incidents: { id: string; status: string }[] }>('GET', `/api/incidents?check_id=${id}`))
    .incidents.map(({ status }) => status);
const isDown = (id: string) => until(
  async () => (await incidentsOf(id))[0] === 'open', { what: 'the incident is open' },
);
const lettersIn = (filter: Document = {}): Promise<Document[]> =>
  client.db().collection('dead_letters').find(filter).toArray();
const checksOf = async (id: string) =>
  (await victim.ok<{ total_checks: number }>('GET', `/api/monitors/${id}/stats`)).total_checks;

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${rig.controller.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}

fault('F55', 'a probe of a shared region claims that a monitor it was never assigned is up', async () => {
  const attacked = await createMonitor('attacked');
  const control = await createMonitor('control');
  const { holder, other: liar } = attacked;
  for (const { id, holder: probe } of [attacked, control]) await report(probe, [checked(id, Date.now(), false)]);
  await isDown(attacked.id);
  await isDown(control.id);
  let lies = 0;
  const rounds = repeats(3, 30);
  for (let round = 0; round < rounds; round += 1) {
    const lie = checked(attacked.id, Date.now());
    lies += await report(liar, [lie, { ...lie, reason: 'manual' }, { ...lie, reason: 'confirm', attempt: 2 }]);
    for (const { id, holder: probe } of [attacked, control]) {
      await report(probe, [checked(id, Date.now(), false)]);
    }
  }
  const deadLetters = await lettersIn();
  expect(deadLetters).toHaveLength(lies);
  for (const letter of deadLetters) {
    expect(letter).toMatchObject({
      reason: 'not_assigned', monitor_id: attacked.id, probe_id: idOf(liar), region: 'local',
    });
  }
  expect(await metric('farwatch_results_not_assigned_total')).toBe(lies);
  for (const { id } of [attacked, control]) {
    expect(await incidentsOf(id)).toEqual(['open']);
    expect(await checksOf(id)).toBe(rounds + 1);
  }

  // More false results than may be looked up: they get no response, and the honest probe's votes count as before.
  const flood = Array.from({ length: 1500 }, () => checked(attacked.id, Date.now()));
  const letters = Array.from({ length: 15 }, (_, at) => flood.slice(at * 100, at * 100 + 100)).flatMap(
    (part, at) => lettersOf(liar, `flood-${at}`, part),
  );
  await Promise.all(letters.map((letter) => post(letter, 2000)));
  await rig.restart(async () => undefined);
  victim = victim.at(rig.controller.url);
  expect(await incidentsOf(attacked.id)).toEqual(['open']);
  for (const { id, holder: probe } of [{ ...attacked, holder }, control]) {
    await report(probe, [checked(id, Date.now())]);
    await until(async () => (await incidentsOf(id))[0] === 'resolved', { what: 'resolved by its own probe' });
    expect(await incidentsOf(id)).toHaveLength(1);
  }
  return toOutcome({ injected: lies + flood.length, incidents: { expected: 2, opened: 2 } });
});

fault('F56', 'monitors move to another probe while results of the old one are in transit', async () => {
  const count = repeats(6, 30);
  const moved = [];
  for (let at = 0; at < count; at += 1) moved.push(await createMonitor(`moving-${at}`));
  const { holder: drained, other: heir } = moved[0] as (typeof moved)[0];
  const own = moved.filter(({ holder }) => holder === drained).map(({ id }) => id);
  const from = Date.now() - 10_000;
  const made = own.flatMap((id) => [0, 1, 2, 3].map((at) => checked(id, from + at * 1000, false)));
  const letters = lettersOf(drained, 'before', made.slice(0, made.length / 2));
  await postAll(letters, (left) => left);
  await rig.session.ok('PATCH', `/api/probes/${idOf(drained)}`, { status: 'draining' });
  await until(() => own.every((id) => heir.held.has(id) && !drained.held.has(id)), { what: 'all have moved' });
  // Results in transit still count: the monitors that only the old probe has seen go down.
  await report(drained, made.slice(made.length / 2));
  for (const id of own) await isDown(id);
  expect(await lettersIn()).toEqual([]);

  // As if the move was long ago, so the old probe's results are history.
  await rig.restart(async () => {
    await client.db().collection('assignments').updateMany({ gone: true }, { $inc: { changed_at: -600_000 } });
  });
  victim = victim.at(rig.controller.url);
  const late = own.map((id) => checked(id, Date.now()));
  await report(drained, late);
  expect(await lettersIn()).toEqual([]);
  for (const id of own) {
    expect(await incidentsOf(id)).toEqual(['open']);
    expect(await checksOf(id)).toBe(5);
  }
  // The new probe's first results count at once, although its assignment is not cached yet.
  await report(heir, own.map((id) => checked(id, Date.now())));
  for (const id of own) {
    await until(async () => (await incidentsOf(id))[0] === 'resolved', { what: 'the new probe resolves it' });
  }
  expect(await lettersIn()).toEqual([]);
  const ledger = await readLedger(rig.store.url, rig.store.database);
  expect(ledger.holes).toEqual([]);
  const issued = 6 * own.length;
  expect(ledger.results).toBe(issued);
  return toOutcome({
    injected: own.length, results: { issued, stored: ledger.results, lost: 0, duplicated: 0 },
    incidents: { expected: own.length, opened: own.length },
  });
});

fault('F57', 'results with future dates, but not far enough to be rejected, precede an outage', async () => {
  const [muted, control] = [await createMonitor('muted'), await createMonitor('control')];
  for (const { id, holder } of [muted, control]) await report(holder, [checked(id, Date.now())]);
  const missed = {
    ...checked(muted.id, Date.now()), outcome: 'missed' as const, response_time_ms: null, status_code: null,
    scheduled_at: Date.now() + 200_000, missed: { reason: 'overload' as const, count: 1_000_000 },
  };
  const dated = [200_000, 3_600_000].map((aheadMs) => checked(muted.id, Date.now() + aheadMs));
  await report(muted.holder, [...dated, missed]);
  for (const { id, holder } of [muted, control]) await report(holder, [checked(id, Date.now(), false)]);
  await isDown(muted.id);
  await isDown(control.id);
  expect(await lettersIn()).toEqual([]);
  return toOutcome({ injected: 3, incidents: { expected: 2, opened: 2 } });
});
