import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MonitorEffect, MonitorState } from '../../../../controller/verdicts/monitor-state.ts';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import { HOUR } from '../../results/build.ts';
import { MonitorRun, SECOND } from '../build.ts';
import { fewOrAll } from '../../../helpers/few-or-all.ts';

const REGIONS = ['eu', 'us', 'ap'];
const MAJORITY = { quorum: 'majority' as const, monitoring_regions: REGIONS };

/** All regions reported up, at 1, 2 and 3 s. */
function upRun(config: Partial<MonitorConfig> = {}): MonitorRun {
  const run = new MonitorRun({ ...MONITOR, ...config });
  REGIONS.forEach((region, index) => run.up(1 + index, region));
  run.effects = [];
  return run;
}
const MONITOR = { ...MAJORITY, interval_ms: 60_000, timeout_ms: 10_000 };

function report(run: MonitorRun, region: string, outcomes: Record<number, boolean>): void {
  for (const [at, ok] of Object.entries(outcomes)) {
    run.result(Number(at), { region, outcome: ok ? 'success' : 'failure' });
  }
}

describe('an outage that regions report one after another', () => {
  test('becomes a resolved incident once all regions are past its end, with history and times as if reported at once', () => {
    const run = upRun();
    report(run, 'eu', { 60: false, 120: false, 180: true, 240: true });
    report(run, 'us', { 61: false, 121: false, 181: true, 241: true });
    expect(run.lines).toEqual([]);
    report(run, 'ap', { 62: false, 122: false });
    expect(run.lines).toEqual([]);
    report(run, 'ap', { 182: true });
    expect(run.lines).toEqual(['up→down@60', 'open@60', 'down→up@181', 'resolve@181']);
    expect(run.effects[1]).toMatchObject({ opening: {
      late: true, affected_regions: REGIONS, failure_count: 6, error_message: 'Expected 200, got 503',
    } });
    expect(new Set(run.effects.map((effect) => (effect.kind === 'status'
      ? effect.change.incident_id
      : effect.kind === 'open'
        ? effect.opening.id
        : effect.kind === 'resolve' ? effect.resolution.id : null))).size)
      .toBe(1);
    expect(run.state).toMatchObject({ status: 'up', since: HOUR + 181 * SECOND, outage: null });
    expect(Object.values(run.state.regions).some(
      ({ ended, down_at }) => ended !== undefined || down_at !== undefined,
    ))
      .toBe(false);
    report(run, 'eu', { 300: false });
    report(run, 'us', { 301: false });
    expect(run.lines.slice(4)).toEqual(['up→down@300', 'open@300', 'monitor.down@300']);
    run.closeHour(1);
    expect(run.accountedSeconds()[2]).toBe(121 + 61);
  });

  test('does not wait for a region that has lost its vote', () => {
    const run = upRun();
    report(run, 'eu', { 60: false, 120: true });
    report(run, 'us', { 61: false, 121: true });
    run.silent('ap', 160);
    expect(run.lines).toEqual(['up→down@60', 'open@60', 'down→up@120', 'resolve@120']);
  });

  test('is not forgotten before the first report of a region that may have seen it too', () => {
    const run = new MonitorRun({ ...MONITOR, assigned: REGIONS });
    report(run, 'eu', { 60: true, 120: false, 180: true });
    expect(run.lines).toEqual(['unknown→up@60']);
    report(run, 'us', { 61: true, 121: false, 181: true });
    expect(run.lines.slice(1)).toEqual(['up→down@120', 'open@120', 'down→up@180', 'resolve@180']);
    const late = new MonitorRun({ ...MONITOR, assigned: REGIONS });
    report(late, 'eu', { 60: true, 120: false, 180: true, 320: true });
    expect(late.state.regions['eu']?.ended).toHaveLength(1);
    // The third region is as silent as one that loses its vote.
    report(late, 'eu', { 330: true });
    expect(late.state.regions['eu']?.ended).toBeUndefined();
  });

  test('is none while one region of a network sees it and the other does not', () => {
    const run = upRun({ assigned: REGIONS, domains: { eu: 'AS1', us: 'AS1' } });
    report(run, 'eu', { 60: false, 120: true });
    report(run, 'us', { 61: true, 121: true });
    report(run, 'ap', { 62: false, 122: true });
    expect(run.lines).toEqual([]);
  });

  test('is reported before a later outage that all regions see', () => {
    const run = upRun();
    report(run, 'eu', { 60: false, 120: true, 180: false });
    report(run, 'us', { 61: false, 121: true, 181: false });
    expect(run.lines).toEqual([
      'up→down@60', 'open@60', 'down→up@120', 'resolve@120', 'up→down@180', 'open@180', 'monitor.down@180',
    ]);
  });

  test('is the start of a longer outage that other regions still see', () => {
    const run = upRun();
    report(run, 'eu', { 60: false, 120: false, 180: true });
    report(run, 'us', { 91: false, 151: false });
    report(run, 'ap', { 122: false, 182: false });
    report(run, 'us', { 211: true });
    expect(run.lines).toEqual([
      'up→down@60', 'open@60', 'monitor.down@60', 'down→up@211', 'resolve@211', 'monitor.up@211',
    ]);
  });
});

describe('failures of two regions are no outage', () => {
  test.each([
    ['if they came one after the other', {}, { 60: false, 120: true }, { 121: false, 181: true }],
    [
      'if the policy needs more regions', { quorum: 'all' as const }, { 60: false, 120: true },
      { 61: false, 121: true },
    ],
    [
      'if one region did not confirm them', { retries: 1 }, { 60: false, 65: false, 120: true },
      { 61: false, 121: true },
    ],
  ] as [string, Partial<MonitorConfig>, Record<number, boolean>, Record<number, boolean>][])('%s', (
    _of, config, eu, us,
  ) => {
    const run = upRun(config);
    report(run, 'eu', eu);
    report(run, 'us', us);
    report(run, 'ap', { 242: true });
    report(run, 'eu', { 250: true });
    report(run, 'us', { 251: true });
    expect(run.lines).toEqual([]);
    expect(Object.values(run.state.regions).every(({ ended }) => ended === undefined)).toBe(true);
  });

  test('if only a later policy would count them', () => {
    const run = upRun({ quorum: 'all' });
    report(run, 'eu', { 60: false, 120: true });
    report(run, 'us', { 61: false, 121: true });
    run.change(122, { quorum: 2, check_revision: 1 });
    report(run, 'ap', { 123: true });
    expect(run.lines).toEqual([]);
  });
});

test('the number of remembered ended outages is limited per region', () => {
  const run = upRun();
  for (let index = 1; index < 50; index += 1) {
    report(run, 'eu', { [index * 60]: false, [index * 60 + 30]: true });
  }
  expect(run.state.regions['eu']?.ended).toHaveLength(4);
});

test('a state from a version without these records can be continued', () => {
  const run = upRun();
  report(run, 'eu', { 60: false });
  run.state = forgetful(run.state);
  report(run, 'eu', { 120: true });
  report(run, 'us', { 61: false, 121: true });
  report(run, 'ap', { 62: true, 122: true });
  expect(run.lines).toEqual([]);
});

/** The state without the records of what the regions saw. */
function forgetful(state: MonitorState): MonitorState {
  const regions =
    Object.entries(state.regions).map(([name, { ended: _ended, down_at: _at, ...region }]) => [name, region]);
  return { ...state, regions: Object.fromEntries(regions) as MonitorState['regions'] };
}

type Step = {
  gap: number;
  region: string;
} & ({ kind: 'up' | 'slow' | 'down' | 'silent' | 'missed' } | { kind: 'change'; to: Partial<MonitorConfig> });
const settings = fc.constantFrom<Partial<MonitorConfig>>(
  { quorum: 'any' }, { quorum: 'all' }, { quorum: 2 }, { retries: 0 }, { retries: 2 }, { status: 'paused' },
  { status: 'active' }, { monitoring_regions: ['eu', 'us'] }, { monitoring_regions: [] },
);
const steps: fc.Arbitrary<Step[]> = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(
  ...REGIONS,
), fc.oneof(
  { weight: 30, arbitrary: fc.record({
    kind: fc.constantFrom('up' as const, 'slow' as const, 'down' as const, 'down' as const, 'up' as const),
  }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('silent' as const, 'missed' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), to: settings }) },
)).map(([gap, region, step]): Step => ({ gap, region, ...step })), { maxLength: 150 });

function playOrdered(policy: Partial<MonitorConfig>, script: Step[], isForgetful: boolean): MonitorRun {
  const run = new MonitorRun({ ...MONITOR, ...policy });
  let at = 1;
  for (const step of script) {
    at += step.gap;
    const { kind, region } = step;
    if (kind === 'change') run.change(at, { check_revision: 1, ...step.to });
    else if (kind === 'silent') run.silent(region, at);
    else if (kind === 'missed') {
      run.result(at, { region, outcome: 'missed', missed: { reason: 'probe_down', count: 3 } });
    } else {
      run.result(at, { region, outcome: kind === 'down' ? 'failure' : 'success', degraded: kind === 'slow' });
    }
    if (isForgetful) run.state = forgetful(run.state);
  }
  return run;
}

const policies = fc.record({
  quorum: fc.constantFrom<MonitorConfig['quorum']>('any', 'majority', 'all', 2),
  retries: fc.integer({ min: 0, max: 2 }),
  recoveries: fc.integer({ min: 0, max: 2 }),
});

test('results in order have the same effects with and without these records', () => {
  let outages = 0;
  fc.assert(fc.property(policies, steps, (policy, script) => {
    const run = playOrdered(policy, script, false);
    const without = playOrdered(policy, script, true);
    expect(run.effects).toEqual(without.effects);
    expect(run.state.accounted).toEqual(without.state.accounted);
    outages += run.effects.filter(({ kind }) => kind === 'open').length;
  }), { numRuns: fewOrAll(120, 250) });
  expect(outages).toBeGreaterThan(20);
});

interface Check {
  at: number;
  region: string;
  ok: boolean;
}

function incidentsOf(effects: MonitorEffect[]): { from: number; until: number | null; isLate: boolean }[] {
  return effects.flatMap((open) => {
    if (open.kind !== 'open') return [];
    const end =
      effects.find((effect) => effect.kind === 'resolve' && effect.resolution.id === open.opening.id);
    return [{
      from: (open.opening.started_at - HOUR) / SECOND,
      until: end?.kind === 'resolve' ? (end.resolution.resolved_at - HOUR) / SECOND : null,
      isLate: open.opening.late === true,
    }];
  });
}

/** Plays the regions' lanes, each in its own order; `next` chooses the lane to continue. */
function playLanes(
  policy: Partial<MonitorConfig>, lanes: Check[][], next: (open: Check[][]) => Check[],
): MonitorRun & { story: string[] } {
  const run = upRun(policy);
  const story: string[] = [];
  const rest = lanes.map((lane) => [...lane]);
  for (let open = rest; (open = open.filter((lane) => lane.length > 0)).length > 0;) {
    const { at, region, ok } = next(open).shift() as Check;
    story.push(`${region}${ok ? '+' : '-'}${at}`);
    run.result(at, { region, outcome: ok ? 'success' : 'failure' });
  }
  run.closeHour(20);
  return Object.assign(run, { story });
}

const earliest = (open: Check[][]): Check[] =>
  open.toSorted((one, other) => (one[0] as Check).at - (other[0] as Check).at)[0] as Check[];

const STEP = 10;
const outcomesOf = (phases: { isUp: boolean; checks: number }[]): boolean[] => [
  ...phases, { isUp: true, checks: 5 },
].flatMap(({ isUp, checks }) => Array.from({ length: checks }, () => isUp));
const phaseLength = fc.integer({ min: 3, max: 8 });
const once = fc.tuple(phaseLength, phaseLength).map(
  ([up, down]) => outcomesOf([{ isUp: true, checks: up }, { isUp: false, checks: down }]),
);
const often = fc.array(
  fc.record({ isUp: fc.boolean(), checks: phaseLength }), { minLength: 1, maxLength: 8 },
).map(outcomesOf);
/** Which lane continues, and with how many results. */
const bursts = fc.infiniteStream(fc.record({ lane: fc.nat(), count: fc.integer({ min: 1, max: 25 }) }));

function inBursts(stream: Iterator<{ lane: number; count: number }>): (open: Check[][]) => Check[] {
  let lane: Check[] = [];
  let left = 0;
  return (open) => {
    if (left === 0 || lane.length === 0) {
      const burst = stream.next().value as { lane: number; count: number };
      lane = open[burst.lane % open.length] as Check[];
      left = burst.count;
    }
    left -= 1;
    return lane;
  };
}

const shared = policies.filter(({ quorum }) => quorum !== 'any');
const lanesOf = (outcomes: boolean[], phase: number): Check[][] =>
  REGIONS.map((region, index) => outcomes.map(
    (ok, cycle): Check => ({ at: 10 + cycle * STEP + index * phase, region, ok }),
  ));

test('lanes in any order report an outage with the same times as lanes in order', () => {
  let late = 0;
  fc.assert(fc.property(shared, once, fc.constantFrom(0, 3), bursts, (policy, outcomes, phase, stream) => {
    const ordered = playLanes(policy, lanesOf(outcomes, phase), earliest);
    const shuffled = playLanes(policy, lanesOf(outcomes, phase), inBursts(stream));
    const [truth, found] = [incidentsOf(ordered.effects), incidentsOf(shuffled.effects)];
    const story = JSON.stringify([policy, shuffled.story, ordered.lines, shuffled.lines]);
    expect([truth.length, found.length], story).toEqual([1, 1]);
    // A region that reports later may have seen the outage earlier or longer, by less than the time between two checks.
    expect(Math.abs((found[0]?.from ?? 0) - (truth[0]?.from ?? 0)), story).toBeLessThanOrEqual(2 * phase);
    expect(Math.abs((found[0]?.until ?? 0) - (truth[0]?.until ?? 0)), story).toBeLessThanOrEqual(2 * phase);
    expect(shuffled.state.status).toBe(ordered.state.status);
    if (phase === 0) expect(shuffled.state.accounted, story).toEqual(ordered.state.accounted);
    late += shuffled.effects.filter((effect) => effect.kind === 'open' && effect.opening.late).length;
  }), { numRuns: fewOrAll(25, 120) });
  expect(late).toBeGreaterThan(10);
});

test('lanes in any order report every outage, never two at the same time, and no late one that did not happen', () => {
  fc.assert(fc.property(shared, often, fc.constantFrom(0, 3), bursts, (policy, outcomes, phase, stream) => {
    const truth = incidentsOf(playLanes(policy, lanesOf(outcomes, phase), earliest).effects);
    const run = playLanes(policy, lanesOf(outcomes, phase), inBursts(stream));
    const found = incidentsOf(run.effects);
    const story = JSON.stringify([policy, run.story, truth, run.lines]);
    for (const { from, until } of truth) {
      expect(found.some((one) => one.from < (until as number) && (one.until as number) > from), story).toBe(
        true,
      );
    }
    found.slice(1).forEach(
      ({ from }, index) => expect(from, story).toBeGreaterThanOrEqual(found[index]?.until as number),
    );
    for (const one of found.filter(({ isLate }) => isLate)) {
      expect(truth.some(({ from, until }) => one.from >= from - 2 * phase &&
        (one.until as number) <= (until as number) + 2 * phase), story)
        .toBe(true);
    }
  }), { numRuns: fewOrAll(25, 120) });
});
