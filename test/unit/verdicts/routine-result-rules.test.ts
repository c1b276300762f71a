import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyItem } from '../../../controller/verdicts/monitor-rules.ts';
import type {
  CertificateState, ExpiryWarning, Flaps, LateHistory, MonitorItem, MonitorState, Outage, RegionOutage,
  RegionState, Witness,
} from '../../../controller/verdicts/monitor-state.ts';
import { isRoutineResult, recordRoutineResult, writableCopy } from '../../../controller/verdicts/routine-result-rules.ts';
import type { CheckResult } from '../../../shared/contracts/result.ts';
import { configOf, HOUR, resultOf } from '../results/build.ts';
import { MonitorRun } from './build.ts';
import { BARE_FACTS } from '../../helpers/tls-facts.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const PLACE = { n: 7, index: 0 };
const DAY = 86_400_000;

/** Usually the value of a routine result, so that every other condition occurs both alone and in combination. */
function mostly<T>(usual: T, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 25, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

/** Mostly just before the hour, sometimes far before it or a little after. */
const instant = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -100, max: 0 }) },
  { weight: 1, arbitrary: fc.integer({ min: -20_000, max: 400 }) },
).map((seconds) => HOUR + seconds * 1000);
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 10, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
const error = { type: 'timeout' as const, message: 'Timed out' };
const outage: fc.Arbitrary<Outage> = instant.map((at) =>
  ({
    incident_id: 'i', started_at: at, failure_count: 2, type: 'timeout', message: 'Timed out',
    severity: 'critical',
  }));
const warning: fc.Arbitrary<ExpiryWarning | null> = maybe(
  fc.record({ expires_at: fc.constantFrom(HOUR + 5 * DAY, HOUR + 90 * DAY), days: fc.constantFrom(7, 30) }),
);

const ended: RegionOutage[] =
  [{ from: HOUR - 30_000, until: HOUR - 10_000, first_fail_at: HOUR - 30_000, fails: 1, error }];

const region: fc.Arbitrary<RegionState> = fc.record({
  verdict: mostly<RegionState['verdict']>(
    'up', 'down', 'unknown',
  ), degraded: mostly(false, true), slows: mostly<number>(0, 1, 3), fails: mostly(0, 1, 3),
  first_fail_at: mostly<number | null>(
    null, HOUR - 60_000,
  ), last_at: maybe(instant), response_time_ms: maybe(fc.integer({ min: 1, max: 900 })),
  status_code: maybe(fc.constant(204)), error: mostly<RegionState['error']>(null, error),
  probe_id: maybe(fc.constant('before')), reason: mostly<string | null>(null, 'silent'),
  engine: fc.constant('1'),
}, { noNullPrototype: true })
  .chain((state) => mostly<RegionState>(
    state, { ...state, ended }, { ...state, down_at: HOUR - 60_000 },
    { ...state, ended, down_at: HOUR - 60_000 },
  ));

const witness: fc.Arbitrary<Witness> = fc.record({
  vote: fc.constantFrom('up', 'down'), probe_id: fc.constant('asked'), engine: fc.constant('1'),
  error: fc.constant(null), attempt: fc.constant(1), at: instant,
});

const late: fc.Arbitrary<LateHistory> = fc.record({
  gaps: fc.constantFrom<LateHistory['gaps']>([], [[HOUR - 600_000, HOUR - 300_000]]),
  runs: fc.constantFrom<LateHistory['runs']>(
    {}, { probe: { region: 'eu', fails: 0, first_fail_at: HOUR, last_at: HOUR + 60_000, error: null } },
  ),
  found: mostly<LateHistory['found']>(
    [], [{ region: 'eu', from: HOUR - 500_000, until: HOUR - 400_000, fails: 3, error }],
  ),
});

const flaps: fc.Arbitrary<Flaps> = fc.record({
  downs: fc.array(instant, { maxLength: 5 }),
  held: mostly<Flaps['held']>(
    null, { ended: null }, { ended: { incident: null, error: null, at: HOUR - 60_000 } },
  ),
});

const certificate: fc.Arbitrary<CertificateState> = fc.record({
  seen: fc.uniqueArray(fc.record({
    fingerprint256: fc.constantFrom('AA', 'BB'), protocol: fc.constant('TLSv1.3'), problem: fc.constant(null),
    expires_at: fc.constantFrom(HOUR + 5 * DAY, HOUR + 90 * DAY), flaws: fc.constant([]),
    regions: fc.constantFrom('eu', 'us').map((name) => ({ [name]: HOUR - 60_000 })),
  }), { maxLength: 2, selector: ({ regions }) => Object.keys(regions)[0] }),
  warnings: fc.array(fc.record({
    about: fc.constantFrom(`expiry ${HOUR + 5 * DAY}`, 'weak_key AA'), days: fc.constantFrom(null, 7),
    at: fc.constantFrom(HOUR - DAY, HOUR - 60_000),
  }), { maxLength: 3 }),
  due: fc.constantFrom(null, null, 0, HOUR, HOUR + 10 * DAY),
});

const addresses = mostly<MonitorState['addresses']>(
  [{ address: '192.0.2.7', at: HOUR - 60_000 }], [{ address: '192.0.2.7', at: HOUR - DAY }], null,
);

const config = fc.record({
  status: mostly<'active' | 'paused' | 'deleted'>(
    'active', 'paused', 'deleted',
  ), retries: fc.integer({ min: 0, max: 2 }),
  quorum: fc.constantFrom(
    'any' as const, 'all' as const, 'majority' as const, 2,
  ), check_revision: mostly(1, 2),
  monitoring_regions: mostly<string[]>([], ['us'], ['eu', 'us']),
  assigned: mostly<string[] | null>(null, ['eu'], ['ap', 'eu', 'us']),
  tls_warning_days: fc.constantFrom<number[]>([], [7, 30]),
  tls_validity: fc.boolean(),
  domain_warning_days: fc.constantFrom<number[]>([], [14]),
  domain_expires_at: fc.constantFrom(null, HOUR + 5 * DAY),
  maintenance: mostly<NonNullable<MonitorState['config']['maintenance']>>(
    [], [{ from: HOUR, until: HOUR + 60_000, holds_alerts: true }],
  ),
}).map((values) => configOf(values));

const state: fc.Arbitrary<MonitorState> = config.chain((settings) => fc.record({
  config: fc.constant(
    settings,
  ), status: mostly<MonitorState['status']>('up', 'degraded', 'down', 'unknown', 'paused'), since: instant,
  regions: fc.dictionary(
    fc.constantFrom('eu', 'us', 'ap'), region, { noNullPrototype: true },
  ), witnesses: rarely(fc.record({ asia: witness })), minority_accepted: mostly(false, true), outage: rarely(outage),
  last_check_at: maybe(instant), last_success_at: maybe(
    instant,
  ), last_success_ms: maybe(fc.constant(12)), last_failure_at: maybe(instant),
  accounted_until: instant, accounted: fc.constantFrom<MonitorState['accounted']>({}, { [HOUR]: [60_000, 0, 0] }),
  maintained: fc.constant(null), unrolled_day: fc.constant(null),
  // Never emitted for a monitor that is up.
  no_data_since: fc.constant(null),
  maintenance_since: fc.constantFrom(null, null, HOUR),
  withheld: rarely(fc.constant<MonitorState['withheld']>({ events: ['monitor.down'], at: HOUR })),
  slow: rarely(outage), flaps: fc.option(flaps),
  domain_warning: warning, certificate: fc.option(certificate), addresses, late: fc.option(late),
}).chain((values) => mostly<MonitorState>(
  values, { ...values, heartbeat: { last_at: null, deadline: HOUR, not_before: HOUR } },
)));

const tls = (expiresAt: number): CheckResult['tls'] => ({
  valid: true, expires_at: expiresAt, issuer: 'CA', subject: 'host', fingerprint256: 'AA',
  protocol: 'TLSv1.3', ...BARE_FACTS,
});
const result = fc.record({
  started_at: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: HOUR, max: HOUR + 30_000 }) }, instant,
  ), outcome: mostly<CheckResult['outcome']>('success', 'failure', 'missed'), degraded: mostly(false, true),
  response_time_ms: maybe(
    fc.integer({ min: 1, max: 900 }),
  ), assignment_rev: mostly(1, 2), error: mostly<CheckResult['error']>(null, error),
  tls: mostly<CheckResult['tls']>(null, tls(HOUR + 5 * DAY), tls(HOUR + 90 * DAY)),
  remote_address: mostly<CheckResult['remote_address']>('192.0.2.7', null, '192.0.2.8'),
});
const item = fc.record({
  region: fc.constantFrom('eu', 'us'), probe_id: fc.constant('probe'), late: mostly(false, true), result,
});

describe('a routine result', () => {
  test('recorded in place gives the same state as the full rules, and no effects', () => {
    let routine = 0;
    fc.assert(fc.property(state, item, (before, values) => {
      const one: MonitorItem & { kind: 'result' } = {
        ...values, kind: 'result', engine: '2', result: resultOf(before.config, values.result),
      };
      if (!isRoutineResult(before, one, PLACE)) return;
      routine += 1;
      const held = structuredClone(before);
      const noted = writableCopy(before);
      recordRoutineResult(noted, one);
      expect({ state: noted, effects: [], omitted: 0 }).toStrictEqual(applyItem(before, one, PLACE));
      expect(before).toEqual(held);
    }), { numRuns: fewOrAll(1200, 3000) });
    expect(routine).toBeGreaterThan(100);
  });

  test('is any result of a monitor that stays up, regardless of its history', () => {
    const run = new MonitorRun({ retries: 0, quorum: 'any' });
    run.up(1);
    run.down(60);
    run.up(120);
    for (let minute = 3; minute < 100; minute += 1) {
      const one = {
        kind: 'result' as const, region: 'eu', probe_id: 'probe', engine: '1', late: false,
        result: run.resultAt(minute * 60),
      };
      // Forty checks after the outage its flap record expires, which changes the state.
      if (minute !== 41) expect(isRoutineResult(run.state, one, PLACE), `minute ${minute}`).toBe(true);
      run.up(minute * 60);
    }
    expect(run.state.flaps).toBeNull();
  });

  test('is impossible while a region saw an outage that another has yet to report on', () => {
    const run = new MonitorRun({ retries: 0, quorum: 2 });
    ['eu', 'us', 'ap'].forEach((region, index) => run.up(1 + index, region));
    const isRoutineAt = (at: number): boolean => isRoutineResult(
      run.state,
      { kind: 'result', region: 'us', probe_id: 'probe-us', engine: '1', late: false, result: run.resultAt(at) }, PLACE,
    );
    run.down(60);
    expect(isRoutineAt(61)).toBe(false);
    run.up(61, 'us');
    run.up(62, 'ap');
    expect(isRoutineAt(63)).toBe(true);
    run.up(120);
    expect(isRoutineAt(121)).toBe(false);
    run.up(121, 'us');
    run.up(122, 'ap');
    expect(isRoutineAt(180)).toBe(true);
  });

  test('never starts or ends anything', () => {
    const run = new MonitorRun({ retries: 2, quorum: 'any' });
    const isRoutineNow = (at: number, overrides: Partial<CheckResult> = {}): boolean =>
      isRoutineResult(run.state, {
        kind: 'result', region: 'eu', probe_id: 'probe', engine: '1', late: false,
        result: { ...run.resultAt(at), ...overrides },
      }, PLACE);
    expect(isRoutineNow(1)).toBe(false);
    run.up(1);
    expect(isRoutineNow(60)).toBe(true);
    expect(isRoutineNow(60, { outcome: 'failure', error })).toBe(false);
    expect(isRoutineNow(60, { degraded: true })).toBe(false);
    expect(isRoutineNow(1)).toBe(false);
    run.down(60);
    expect(isRoutineNow(120)).toBe(false);
    expect(isRoutineNow(3600)).toBe(false);
  });
});
