import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StartedIncident } from '../../../controller/causes/cause.ts';
import { countLimits, decideCauses, type Population } from '../../../controller/causes/cause-rules.ts';
import { FEATURE_KINDS } from '../../../controller/verdicts/features/feature-rules.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const WINDOW_MS = 90_000;

/** The causes that incidents end up with, by incident id: what it has in common, and with which others. */
type Outcome = Map<string, { feature: string; id: string }>;

function outcomeOf(
  incidents: StartedIncident[], openCauses: ReadonlyMap<string, string>, population: Population,
): Outcome {
  const decisions = decideCauses('org', incidents, openCauses, population);
  return new Map(decisions.flatMap(({ incident_ids, feature, cause_id: id }) =>
    incident_ids.map((incident) => [incident, { feature, id }])));
}

/** The same rules, read from their text without a thought for speed. */
function naiveOutcome(
  incidents: StartedIncident[], openCauses: ReadonlyMap<string, string>, population: Population,
): Outcome {
  const outcome: Outcome = new Map();
  const causeOf = (one: StartedIncident) => one.cause_id ?? outcome.get(one.id)?.id ?? null;
  const isBefore = (one: StartedIncident, other: StartedIncident) =>
    one.started_at < other.started_at || (one.started_at === other.started_at && one.id < other.id);
  const earliest = (some: StartedIncident[]) => some.reduce((first, one) => (isBefore(one, first) ? one : first));
  for (const kind of FEATURE_KINDS) {
    const features = new Set(incidents.flatMap((one) => one.features).filter((one) => one.startsWith(`${kind}:`)));
    for (const feature of [...features].sort((one, other) => (one < other ? -1 : 1))) {
      const has = (one: StartedIncident) => one.features.includes(feature);
      const mayLink = (one: StartedIncident) => {
        const cause = causeOf(one);
        return has(one) && (cause === null || openCauses.get(cause) === feature);
      };
      const reachable = (from: StartedIncident) => {
        const found = new Set([from]);
        for (let size = 0; size !== found.size;) {
          size = found.size;
          for (const one of incidents.filter(mayLink)) {
            if ([...found].some((near) => Math.abs(near.started_at - one.started_at) <= WINDOW_MS)) found.add(one);
          }
        }
        return [...found];
      };
      const monitorsFrom = (some: StartedIncident[], from: number) => new Set(
        some.filter(({ started_at: at }) => at >= from && at <= from + WINDOW_MS).map((one) => one.monitor_id),
      ).size;
      for (const incident of incidents) {
        if (!has(incident) || causeOf(incident) !== null) continue;
        const linked = reachable(incident);
        const fresh = linked.filter((one) => causeOf(one) === null);
        const members = linked.filter((one) => causeOf(one) !== null);
        const having = population.having.get(feature) ?? Infinity;
        const others = population.total - having;
        const isShared = linked.some(({ started_at: from }) => {
          const isRare = (kind !== 'region' && kind !== 'group')
            || monitorsFrom(incidents.filter((one) => !has(one)), from) < others / 2;
          return monitorsFrom(linked, from) >= 3 && isRare
            && monitorsFrom(incidents.filter(has), from) >= 0.8 * having;
        });
        if (members.length === 0 && !isShared) continue;
        const id = members.length > 0 ? causeOf(earliest(members)) as string : `new ${earliest(fresh).id} ${feature}`;
        for (const one of fresh) outcome.set(one.id, { feature, id });
      }
    }
  }
  return outcome;
}

/** Ids of new causes differ between both; which incidents share one must not. */
function partition(outcome: Outcome): string[] {
  const groups = new Map<string, string[]>();
  for (const [incident, { feature, id }] of outcome) {
    const key = id.startsWith('open') ? id : '';
    const name = `${id} ${feature}`;
    groups.set(name, [...(groups.get(name) ?? [`${key} ${feature}`]), incident]);
  }
  return [...groups.values()].map(([head, ...ids]) => [head, ...ids.sort()].join(' ')).sort();
}

const FEATURES = ['address:192.0.2.1', 'address:192.0.2.2', 'network:192.0.2.0/24', 'name_server:ns', 'region:eu', 'group:g'];
const openCauses = new Map([['open 1', 'address:192.0.2.1'], ['open 2', 'network:192.0.2.0/24'], ['open 3', 'region:eu']]);

const incidents = fc.array(fc.record({
  monitor: fc.integer({ min: 1, max: 9 }), at: fc.integer({ min: 0, max: 40 }),
  features: fc.subarray(FEATURES), cause: fc.constantFrom(null, null, null, null, ...openCauses.keys(), 'ended'),
}), { minLength: 3, maxLength: 14 }).map((all) => all.map(({ monitor, at, features, cause }, index): StartedIncident => ({
  id: `i${String(index).padStart(2, '0')}`, project_id: 'p', monitor_id: `m${monitor}`, started_at: at * 10_000,
  features: cause === null || cause === 'ended'
    ? features : [...new Set([...features, openCauses.get(cause) as string])], cause_id: cause,
})));
const population = fc.record({
  counts: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: FEATURES.length, maxLength: FEATURES.length }),
  others: fc.integer({ min: 0, max: 12 }),
}).map(({ counts, others }): Population => ({
  having: new Map(FEATURES.map((feature, index) => [feature, counts[index] as number])),
  total: Math.max(...counts) + others,
}));

function down(monitor: string, seconds: number, features: string[], cause_id: string | null = null): StartedIncident {
  const started_at = seconds * 1000;
  return { id: `${monitor}@${seconds}`, project_id: 'p', monitor_id: monitor, started_at, features, cause_id };
}

const having = (counts: Record<string, number>, total = 100): Population =>
  ({ having: new Map(Object.entries(counts)), total });
const NONE: ReadonlyMap<string, string> = new Map();
const SERVER = 'address:192.0.2.7';

describe('a cause', () => {
  test('is what a second implementation decides, whatever the order of the incidents', () => {
    let caused = 0;
    fc.assert(fc.property(incidents, population, fc.infiniteStream(fc.nat()), (all, monitors, order) => {
      const outcome = outcomeOf(all, openCauses, monitors);
      caused += outcome.size;
      expect(partition(outcome)).toEqual(partition(naiveOutcome(all, openCauses, monitors)));
      const keys = new Map(all.map((one) => [one, order.next().value as number]));
      const shuffled = all.toSorted((one, other) => (keys.get(one) as number) - (keys.get(other) as number));
      expect(outcomeOf(shuffled, openCauses, monitors)).toEqual(outcome);
    }), { numRuns: fewOrAll(1500, 10_000) });
    expect(caused).toBeGreaterThan(500);
  });

  test('is the same if monitors are counted only up to the limits', () => {
    let limited = 0;
    fc.assert(fc.property(incidents, population, (all, monitors) => {
      const { features, havingLimit, totalLimit } = countLimits(all);
      const counted = new Map(features.map((feature) => (
        [feature, Math.min(monitors.having.get(feature) as number, havingLimit(feature))]
      )));
      const limit = totalLimit(counted);
      const total = Math.min(monitors.total, limit ?? 0);
      if (limit !== null && limit < monitors.total) limited += 1;
      expect(outcomeOf(all, openCauses, { having: counted, total })).toEqual(outcomeOf(all, openCauses, monitors));
    }), { numRuns: fewOrAll(1500, 10_000) });
    expect(limited).toBeGreaterThan(10);
  });

  test.each<[failing: number, having: number, isCause: boolean]>([
    [2, 2, false], [3, 3, true], [3, 4, false], [4, 5, true], [4, 6, false], [8, 10, true], [7, 10, false],
    [24, 30, true], [23, 30, false],
  ])('of %i failing monitors out of %i with the feature: %s', (failing, all, isCause) => {
    const outages = Array.from({ length: failing }, (_, at) => down(`m${at}`, at, [SERVER]));
    expect(outcomeOf(outages, NONE, having({ [SERVER]: all })).size).toBe(isCause ? failing : 0);
  });

  test.each<[begins: number[], isCause: boolean]>([
    [[0, 0, 0], true], [[0, 45, 90], true], [[0, 45, 91], false], [[0, 60, 120], false],
  ])('of three monitors that go down at %j s: %s', (begins, isCause) => {
    const outages = begins.map((seconds, at) => down(`m${at}`, seconds, [SERVER]));
    expect(outcomeOf(outages, NONE, having({ [SERVER]: 3 })).size).toBe(isCause ? 3 : 0);
  });

  test('needs different monitors', () => {
    const twice = [down('a', 0, [SERVER]), down('a', 40, [SERVER]), down('c', 80, [SERVER])];
    expect(outcomeOf(twice, NONE, having({ [SERVER]: 3 })).size).toBe(0);
  });

  test.each([
    ['dependency', 'address'], ['address', 'network'], ['network', 'name_server'], ['name_server', 'certificate'],
    ['certificate', 'region'], ['region', 'group'],
  ])('is the %s rather than the %s', (telling, other) => {
    const outages = ['a', 'b', 'c'].map((name, at) => down(name, at, [`${other}:x`, `${telling}:x`]));
    const found = outcomeOf(outages, NONE, having({ [`${telling}:x`]: 3, [`${other}:x`]: 3 }));
    expect([...found.values()].map(({ feature }) => feature)).toEqual(outages.map(() => `${telling}:x`));
  });

  test('is the most telling feature, and two at once are two', () => {
    const [one, other] = [['address:192.0.2.1', 'network:192.0.2.0/24'], ['address:192.0.2.2', 'network:192.0.2.0/24']];
    const all = ['a', 'b', 'c'].flatMap((name, index) =>
      [down(`${name}1`, index, one), down(`${name}2`, index, other)]);
    const counts = having({ 'address:192.0.2.1': 3, 'address:192.0.2.2': 3, 'network:192.0.2.0/24': 6 });
    const found = new Set([...outcomeOf(all, NONE, counts).values()].map(({ feature }) => feature));
    expect([...found]).toEqual(['address:192.0.2.1', 'address:192.0.2.2']);
  });

  test('is no region or group that all monitors have', () => {
    const region = ['region:eu'];
    const all = ['a', 'b', 'c', 'd'].map((name, index) => down(name, index, region));
    expect(outcomeOf(all, NONE, having({ 'region:eu': 4 }, 4)).size).toBe(0);
    expect(outcomeOf(all, NONE, having({ 'region:eu': 4 }, 5)).size).toBe(4);
    expect(outcomeOf([...all, down('e', 1, [])], NONE, having({ 'region:eu': 4 }, 5)).size).toBe(0);
  });

  test('is joined by outages that follow within 90 s of another one of it, and is then not decided anew', () => {
    const open = new Map([['known', SERVER]]);
    const members = ['a', 'b', 'c'].map((name) => down(name, 0, [SERVER], 'known'));
    const [near, next, far] = [down('d', 80, [SERVER]), down('e', 160, [SERVER]), down('f', 260, [SERVER])];
    const found = outcomeOf([...members, near, next, far], open, having({ [SERVER]: 50 }));
    expect([...found]).toEqual([near, next].map(({ id }) => [id, { feature: SERVER, id: 'known' }]));
    expect(outcomeOf([...members, near], NONE, having({ [SERVER]: 4 })).size).toBe(0);
  });

  test('has the same id whoever decides', () => {
    const all = ['a', 'b', 'c'].map((name, index) => down(name, index, [SERVER]));
    const ids = (some: StartedIncident[]) =>
      decideCauses('org', some, NONE, having({ [SERVER]: 3 })).map(({ cause_id }) => cause_id);
    expect(ids(all)).toEqual(ids(all.toReversed()));
    expect(ids(all)).toHaveLength(1);
  });
});
