import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_GAPS } from '../../../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { isLate } from '../../../../controller/verdicts/monitor-rules.ts';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import { HOUR } from '../../results/build.ts';
import { MonitorRun, SECOND } from '../build.ts';

/** A monitor that was monitored until 0 s, then unmonitored until 3000 s. */
function withUnmonitoredTime(config: Partial<MonitorConfig> = {}): MonitorRun {
  const run = new MonitorRun({
    interval_ms: 60_000, timeout_ms: 10_000, retries: 1, monitoring_regions: ['eu'], ...config,
  });
  run.up(1);
  run.up(3000);
  run.effects = [];
  return run;
}

function late(run: MonitorRun, region: string, outcomes: Record<number, boolean>): void {
  for (const [at, ok] of Object.entries(outcomes)) {
    run.result(Number(at), { region, late: true, outcome: ok ? 'success' : 'failure' });
  }
}

describe('an outage that late results reveal', () => {
  test('becomes a resolved incident without an alert', () => {
    const run = withUnmonitoredTime();
    const before = { ...run.state };
    late(run, 'eu', { 600: true, 660: false, 662: false, 720: false, 780: true });
    expect(run.lines).toEqual(['open@660', 'resolve@780']);
    const [open, resolve] = run.effects;
    expect(open).toMatchObject({ opening: {
      late: true, failure_count: 3, affected_regions: ['eu'], error_message: 'Expected 200, got 503',
      severity: 'major',
    } });
    if (open?.kind === 'open' && resolve?.kind === 'resolve') {
      expect(resolve.resolution.id).toBe(open.opening.id);
    }
    expect(run.state).toMatchObject({
      status: 'up', since: before.since, outage: null, accounted: before.accounted,
      accounted_until: before.accounted_until, regions: before.regions,
    });
  });

  test('needs more consecutive failures than there are retries', () => {
    const run = withUnmonitoredTime();
    late(run, 'eu', { 600: true, 660: false, 720: true, 780: false, 840: false });
    expect(run.lines).toEqual([]);
  });

  test('does not span a gap in the late results', () => {
    const run = withUnmonitoredTime();
    late(run, 'eu', { 600: false, 900: false, 1200: true });
    expect(run.lines).toEqual([]);
  });

  test('is reported once, however many probes report it', () => {
    const run = withUnmonitoredTime({ quorum: 'any', monitoring_regions: ['eu', 'us'] });
    late(run, 'eu', { 600: false, 660: false, 720: true });
    late(run, 'us', { 630: false, 690: false, 750: true });
    late(run, 'us', { 810: false, 870: false, 930: true });
    expect(run.lines).toEqual(['open@600', 'resolve@720', 'open@810', 'resolve@930']);
  });

  test('is reported once the unmonitored time around it has ended, even if its results arrived earlier', () => {
    const run = new MonitorRun({ interval_ms: 60_000, timeout_ms: 10_000, monitoring_regions: ['eu'] });
    run.up(1);
    late(run, 'eu', { 600: false, 660: true });
    expect(run.lines).toEqual(['unknown→up@1']);
    run.up(3000);
    expect(run.lines.slice(1)).toEqual(['open@600', 'resolve@660']);
  });

  test('begins at its first failure, even within the interval that the previous status covers', () => {
    const run = withUnmonitoredTime();
    late(run, 'eu', { 58: false, 118: false, 178: true });
    expect(run.lines).toEqual(['open@58', 'resolve@178']);
  });
});

describe('late results', () => {
  test.each(['up', 'down'] as const)('do not change monitored time that was %s', (status) => {
    const run = new MonitorRun({ interval_ms: 60_000, retries: 0, monitoring_regions: ['eu'] });
    for (let at = 60; at <= 900; at += 60) run[status](at);
    run.effects = [];
    late(run, 'eu', { 300: false, 360: false, 420: true });
    expect(run.lines).toEqual([]);
  });

  test('report no second outage within a known one, even in unmonitored time', () => {
    const run = new MonitorRun({ interval_ms: 60_000, retries: 0, monitoring_regions: ['eu'] });
    run.down(60);
    run.silent('eu', 120);
    run.up(3000);
    run.effects = [];
    late(run, 'eu', { 600: false, 660: true });
    expect(run.lines).toEqual([]);
  });

  test('that overlap a known outage open no other incident', () => {
    const run =
      new MonitorRun({ interval_ms: 60_000, retries: 0, quorum: 'any', monitoring_regions: ['eu', 'us'] });
    run.up(1);
    run.down(600);
    run.up(660);
    run.effects = [];
    late(run, 'us', { 480: false, 540: false, 600: false, 670: true });
    expect(run.lines).toEqual([]);
  });

  test('from a pause are ignored', () => {
    const run = withUnmonitoredTime();
    run.change(3010, { status: 'paused' });
    run.change(6000, { status: 'active', check_revision: 1 });
    run.up(6010);
    run.effects = [];
    late(run, 'eu', { 4000: false, 4060: false, 4120: true });
    expect(run.lines).toEqual([]);
  });
});

describe('late results of several regions', () => {
  test('reveal an outage when enough of all selected regions agree at the same time', () => {
    const run = withUnmonitoredTime({ quorum: 'majority', monitoring_regions: ['eu', 'us', 'ap'] });
    late(run, 'eu', { 600: false, 660: false, 720: true });
    expect(run.lines).toEqual([]);
    late(run, 'us', { 640: false, 700: false, 760: true });
    expect(run.lines).toEqual(['open@640', 'resolve@720']);
    const open = run.effects[0];
    if (open?.kind === 'open') expect(open.opening.affected_regions).toEqual(['eu', 'us']);
    late(run, 'ap', { 641: false, 701: false, 761: true });
    expect(run.lines).toHaveLength(2);
  });

  test('reveal none when two regions never agree', () => {
    const run = withUnmonitoredTime({ quorum: 2, monitoring_regions: ['eu', 'us'] });
    late(run, 'eu', { 600: false, 660: false, 720: true });
    late(run, 'us', { 720: false, 780: false, 840: true });
    expect(run.lines).toEqual([]);
  });

  test('are ignored for a region that is no longer selected', () => {
    const run = withUnmonitoredTime();
    late(run, 'us', { 600: false, 660: false, 720: true });
    expect(run.lines).toEqual([]);
  });
});

interface Report {
  at: number;
  region: string;
  ok: boolean;
  /** Seconds between the check and the arrival of its result. */
  delay: number;
}

const lanes = fc.record({
  quorum: fc.constantFrom('any' as const, 'majority' as const, 'all' as const),
  live: fc.array(fc.boolean(), { minLength: 2, maxLength: 40 }),
  gaps: fc.array(fc.integer({ min: 2, max: 2000 }), { minLength: 40, maxLength: 40 }),
  late: fc.array(fc.record({
    region: fc.constantFrom('eu', 'us'), outcomes: fc.array(fc.boolean(), { maxLength: 40 }),
    from: fc.integer({ min: 0, max: 4000 }),
  }), { maxLength: 2 }),
  order: fc.infiniteStream(fc.nat()),
});

/**
 * Plays the lanes, each in its own order, interleaved by `next`. Lateness depends on the time of sending, not on the
 * interleaving.
 */
function playLanes(
  policy: { quorum: 'any' | 'majority' | 'all' }, sent: Report[][], next: (lanes: number) => number,
): MonitorRun {
  const run = new MonitorRun({
    ...policy, interval_ms: 60_000, timeout_ms: 10_000, retries: 1, monitoring_regions: ['eu', 'us'],
  });
  const rest = sent.map((lane) => [...lane]);
  for (let open = rest.filter((lane) => lane.length > 0); open.length > 0; open = rest.filter(
    (lane) => lane.length > 0,
  )) {
    const lane = open[next(open.length)] as Report[];
    const { at, region, ok, delay } = lane.shift() as Report;
    run.result(at, {
      region, outcome: ok ? 'success' : 'failure',
      late: isLate(run.config, HOUR + at * SECOND, HOUR + (at + delay) * SECOND),
    });
  }
  run.closeHour(100);
  return run;
}

test('lanes in any order yield the same status and times; late results send no alert and change neither', () => {
  let lateOutages = 0;
  fc.assert(fc.property(lanes, ({ quorum, live, gaps, late: backlog, order }) => {
    let at = 0;
    const fresh =
      live.map((ok, index): Report => ({ at: (at += gaps[index] as number), region: 'eu', ok, delay: 0 }));
    const late = backlog.map(({ region, outcomes, from }) => outcomes.map(
      (ok, index): Report => ({ at: from + index * 60, region, ok, delay: 5000 }),
    ));
    const ordered = playLanes({ quorum }, [fresh, ...late], () => 0);
    const shuffled = playLanes({ quorum }, [fresh, ...late], (open) => (order.next().value as number) % open);
    const withoutLate = playLanes({ quorum }, [fresh], () => 0);
    for (const run of [ordered, shuffled]) {
      expect(run.state.accounted).toEqual(withoutLate.state.accounted);
      expect([run.state.status, run.state.since, run.state.outage]).toEqual([
        withoutLate.state.status, withoutLate.state.since, idless(run, withoutLate),
      ]);
      const other = run.effects.filter((effect) => !(effect.kind === 'open' && effect.opening.late) &&
        !lateIds(run).has(effect.kind === 'resolve' ? effect.resolution.id : ''));
      expect(other.map((effect) => effect.kind)).toEqual(withoutLate.effects.map((effect) => effect.kind));
      lateOutages += lateIds(run).size;
    }
  }), { numRuns: 300 });
  expect(lateOutages).toBeGreaterThan(20);
});

function lateIds(run: MonitorRun): Set<string> {
  return new Set(run.effects.flatMap(
    (effect) => (effect.kind === 'open' && effect.opening.late ? [effect.opening.id] : []),
  ));
}

/** Incident ids derive from journal numbers, which additional items advance. */
function idless(run: MonitorRun, withoutLate: MonitorRun): unknown {
  return withoutLate.state.outage && { ...withoutLate.state.outage, incident_id: run.state.outage?.incident_id };
}

test('the number of remembered gaps and late outages is limited', () => {
  const run = new MonitorRun({
    interval_ms: 60_000, timeout_ms: 10_000, retries: 1, quorum: 'majority', monitoring_regions: ['eu', 'us'],
  });
  for (let index = 0; index < 100; index += 1) run.up(1 + index * 1000);
  for (let probe = 0; probe < 100; probe += 1) {
    late(
      run, probe % 2 ? 'eu' : 'us',
      { [500 + probe * 1000]: false, [560 + probe * 1000]: false, [620 + probe * 1000]: true },
    );
  }
  for (let probe = 0; probe < 50; probe += 1) {
    run.item({
      kind: 'result', late: true, region: 'eu', probe_id: `p${probe}`, engine: '1', result: run.resultAt(500 + probe),
    });
  }
  const { gaps, runs, found } = run.state.late ?? { gaps: [], runs: {}, found: [] };
  expect(gaps).toHaveLength(MAX_GAPS);
  expect(found.length).toBeLessThanOrEqual(16);
  expect(Object.keys(runs)).toHaveLength(8);
});
