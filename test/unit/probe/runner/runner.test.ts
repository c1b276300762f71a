import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failure, missed, type Finding } from '../../../../probe/checks/check.ts';
import { limitsFor, type Limits } from '../../../../probe/runner/limits.ts';
import { Runner } from '../../../../probe/runner/runner.ts';
import { Scheduler } from '../../../../probe/scheduler/scheduler.ts';
import { missedResult } from '../../../../probe/runner/result.ts';
import type { Assignment } from '../../../../shared/contracts/assignment.ts';
import type { CheckSpec } from '../../../../shared/contracts/check-spec.ts';
import type { CheckResult } from '../../../../shared/contracts/result.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { sleep } from '../../../../shared/time.ts';
import { buildAssignment, buildHttpSpec } from '../build.ts';
import { fewOrAll } from '../../../helpers/few-or-all.ts';

const SUCCESS: Finding = {
  outcome: 'success', degraded: false, response_time_ms: 5, status_code: 200, error: null, missed: null,
  timings: null, remote_address: null, tls: null, detail: null, observed: null,
};
const FAILURE = failure('status_code', 'response', 'Expected 200, got 503', { status_code: 503 });
const TIMEOUT = failure('timeout', 'response', 'No response');

type Recorded = CheckResult & { urgent: boolean; recordedAt: number };

class StallingClock extends SimulatedClock {
  stalledMs = 0;
  override now(): number {
    return super.now() + this.stalledMs;
  }
  override monotonic(): number {
    return super.monotonic() + this.stalledMs;
  }
}

function build(
  check: (spec: CheckSpec, timeoutMs: number) => Promise<Finding>, limits: Partial<Limits> = {},
  isCutOff = async (): Promise<boolean> => false,
) {
  const clock = new StallingClock();
  const records: Recorded[] = [];
  let running = 0;
  let maxRunning = 0;
  const runner = new Runner({
    clock, random: () => 0.5, limits: { ...limitsFor(100_000), ...limits }, isCutOff,
    check: async (spec, timeoutMs) => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      return check(spec, timeoutMs).finally(() => {
        running -= 1;
      });
    },
    record: (result, urgent) => records.push({ ...result, urgent, recordedAt: clock.now() }),
  });
  return { clock, runner, records, maxRunning: () => maxRunning };
}

const outcomes = (records: Recorded[]): string[] =>
  records.map((each) => `${each.outcome} ${each.attempt} ${each.reason}${each.urgent ? ' !' : ''}`);

describe('the runner', () => {
  test('blames no target while the probe is cut off, and checks that only after a failure', async () => {
    let calls = 0;
    let isCutOff = true;
    let found = SUCCESS;
    const { clock, runner, records } = build(async () => found, {}, async () => {
      calls += 1;
      return isCutOff;
    });
    const monitor = buildAssignment({ retries: 0 });
    const slot = async (): Promise<void> => {
      runner.slot(monitor, clock.now());
      await clock.advance(1000);
    };
    await slot();
    expect(calls).toBe(0);
    found = TIMEOUT;
    await slot();
    expect((await runner.order(monitor, 'manual')).missed?.reason).toBe('probe_unhealthy');
    isCutOff = false;
    await slot();
    expect(calls).toBe(3);
    expect(records.map((each) => each.missed?.reason ?? each.outcome)).toEqual([
      'success', 'probe_unhealthy', 'failure',
    ]);
  });

  test('expects an inverted monitor to fail, with its own faults left out of account', async () => {
    let isCutOff = false;
    let found: Finding = TIMEOUT;
    const { clock, runner, records } = build(async () => found, {}, async () => isCutOff);
    const monitor = buildAssignment({ retries: 1, spec: buildHttpSpec({ is_inverted: true }) });
    const slot = async (finding: Finding): Promise<void> => {
      found = finding;
      runner.slot(monitor, clock.now());
      await clock.advance(10_000);
    };
    await slot({ ...TIMEOUT, response_time_ms: 50 });
    await slot({ ...FAILURE, status_code: 503, response_time_ms: 50 });
    isCutOff = true;
    await slot(TIMEOUT);
    isCutOff = false;
    await slot({ ...SUCCESS, degraded: true, response_time_ms: 50 });
    await slot({ ...SUCCESS, outcome: 'failure', error: { type: 'slow_response', message: 'Slow' } });
    await slot(TIMEOUT);
    expect(outcomes(records)).toEqual([
      'success 1 schedule', 'success 1 schedule', 'missed 1 schedule', 'failure 1 schedule !',
      'failure 2 confirm !', 'failure 1 schedule !', 'success 1 schedule !',
    ]);
    expect(records.map(({ response_time_ms: ms }) => ms).slice(0, 4)).toEqual([null, 50, null, 50]);
    expect(records[3]).toMatchObject({ degraded: false, status_code: 200, error: {
      type: 'connection_error', message: 'Expected the target to be down, but it responded',
    } });
    expect(await runner.order(monitor, 'manual')).toMatchObject({ outcome: 'success' });
  });

  test('records a check\'s result with its times', async () => {
    const { clock, runner, records } = build(async () => SUCCESS);
    const monitor = buildAssignment();
    const dueMs = clock.now();
    await clock.advance(3);
    runner.slot(monitor, dueMs);
    await clock.advance(10);
    expect(records).toMatchObject([{
      monitor_id: monitor.monitor_id, assignment_rev: 1, attempt: 1, reason: 'schedule', scheduled_at: dueMs,
      started_at: dueMs + 3, outcome: 'success', status_code: 200, urgent: false,
    }]);
  });

  test('rechecks a failure after a success immediately, but not a failure in the failing state', async () => {
    const findings = [SUCCESS, FAILURE, FAILURE, FAILURE, FAILURE, SUCCESS, FAILURE, SUCCESS];
    const { clock, runner, records } = build(async () => findings.shift() ?? SUCCESS);
    const monitor = buildAssignment({ retries: 1 });
    for (let slot = 0; slot < 6; slot += 1) {
      runner.slot(monitor, clock.now());
      await clock.advance(10_000);
    }
    expect(outcomes(records)).toEqual([
      'success 1 schedule', 'failure 1 schedule !', 'failure 2 confirm !', 'failure 1 schedule !',
      'failure 1 schedule !', 'success 1 schedule !', 'failure 1 schedule !', 'success 2 confirm !',
    ]);
    const [, first, second] = records as [Recorded, Recorded, Recorded];
    expect(second.scheduled_at).toBe(first.scheduled_at);
    expect(second.started_at - first.recordedAt).toBeGreaterThanOrEqual(100);
    expect(second.started_at - first.recordedAt).toBeLessThanOrEqual(150);
  });

  test('rechecks as often as configured, and rechecks the first failure after a restart of the probe', async () => {
    const { clock, runner, records } = build(async () => FAILURE);
    runner.slot(buildAssignment({ retries: 3 }), clock.now());
    await clock.advance(5000);
    expect(records.map((each) => each.attempt)).toEqual([1, 2, 3, 4]);
    runner.slot(buildAssignment({ retries: 0 }), clock.now());
    await clock.advance(5000);
    expect(records).toHaveLength(5);
  });

  test('runs on-demand checks with rechecks in addition to the slots', async () => {
    const findings = [SUCCESS, FAILURE, FAILURE, FAILURE];
    const { clock, runner, records } = build(async () => findings.shift() ?? SUCCESS);
    const monitor = buildAssignment({ retries: 1 });
    runner.slot(monitor, clock.now());
    await clock.advance(1234);
    const requestedAt = clock.now();
    runner.confirm(monitor);
    expect(runner.openSlots()).toEqual([]);
    await clock.advance(1000);
    runner.slot(monitor, clock.now());
    await clock.advance(monitor.interval_ms / 4 - 1001);
    runner.confirm(monitor);
    await clock.advance(1);
    expect(records).toHaveLength(4);
    runner.confirm(monitor);
    await clock.advance(1000);
    expect(outcomes(records)).toEqual([
      'success 1 schedule', 'failure 1 confirm !', 'failure 2 confirm !', 'failure 1 schedule !',
      'success 1 confirm !',
    ]);
    expect(records[1]).toMatchObject({ scheduled_at: requestedAt, started_at: requestedAt });
  });

  test('checks again only after a success that had started before the request', async () => {
    const findings = [SUCCESS, FAILURE, FAILURE];
    const { clock, runner, records } = build(async () => {
      await sleep(clock, 100);
      return findings.shift() ?? SUCCESS;
    });
    const monitor = buildAssignment({ retries: 0 });
    runner.slot(monitor, clock.now());
    await clock.advance(50);
    runner.confirm(monitor);
    runner.confirm(monitor);
    await clock.advance(1000);
    expect(outcomes(records)).toEqual(['success 1 schedule', 'failure 1 confirm !']);
    runner.slot(monitor, clock.now());
    await clock.advance(50);
    runner.confirm(monitor);
    await clock.advance(1000);
    expect(outcomes(records).slice(2)).toEqual(['failure 1 schedule !']);
  });

  test('takes one timeout, not three, until an on-demand check has failed for good', async () => {
    const { clock, runner, records, maxRunning } = build(async (_spec, timeoutMs) => {
      await sleep(clock, timeoutMs);
      return TIMEOUT;
    });
    const monitor = buildAssignment({ retries: 2, interval_ms: 60_000, timeout_ms: 5000 });
    const requestedAt = clock.now();
    runner.confirm(monitor);
    await clock.advance(30_000);
    expect(outcomes(records)).toEqual(['failure 1 confirm !', 'failure 2 confirm !', 'failure 3 confirm !']);
    expect(records.map((each) => each.started_at)).toEqual([requestedAt, requestedAt + 63, requestedAt + 126]);
    expect(records[2]?.recordedAt).toBe(requestedAt + 5126);
    expect([maxRunning(), runner.inFlight]).toEqual([3, 0]);
  });

  test('rechecks a slot without waiting for its response once it failed elsewhere', async () => {
    const { clock, runner, records } = build(async (_spec, timeoutMs) => {
      await sleep(clock, timeoutMs);
      return TIMEOUT;
    });
    const monitor = buildAssignment({ retries: 1, interval_ms: 60_000, timeout_ms: 5000 });
    const dueMs = clock.now();
    runner.slot(monitor, dueMs);
    await clock.advance(1000);
    runner.confirm(monitor);
    runner.confirm(monitor);
    await clock.advance(30_000);
    expect(outcomes(records)).toEqual(['failure 1 schedule !', 'failure 2 confirm !']);
    expect(records.map((each) => each.recordedAt - dueMs)).toEqual([5000, 6063]);
  });

  test('keeps a slot open until its own check has ended, even if a recheck was faster', async () => {
    const findings: [number, Finding][] = [[3000, TIMEOUT], [10, SUCCESS], [3000, TIMEOUT], [10, SUCCESS]];
    const { clock, runner, records } = build(async () => {
      const [afterMs, finding] = findings.shift() as [number, Finding];
      await sleep(clock, afterMs);
      return finding;
    });
    const monitor = buildAssignment({ retries: 1, interval_ms: 60_000 });
    const dueMs = clock.now();
    runner.slot(monitor, dueMs);
    runner.confirm(monitor);
    await clock.advance(500);
    expect(outcomes(records)).toEqual(['success 2 confirm !']);
    expect(runner.openSlots()).toEqual([{ monitorId: monitor.monitor_id, dueMs }]);
    const stopped = runner.stop(100);
    await clock.advance(200);
    await stopped;
    expect(outcomes(records)).toEqual(['success 2 confirm !', 'missed 1 schedule']);
    expect(runner.openSlots()).toEqual([]);
  });

  test('takes two timeouts until a slot has failed for good, however many rechecks it has', async () => {
    const { clock, runner, records } = build(async (_spec, timeoutMs) => {
      await sleep(clock, timeoutMs);
      return TIMEOUT;
    });
    const dueMs = clock.now();
    runner.slot(buildAssignment({ retries: 4, interval_ms: 60_000, timeout_ms: 5000 }), dueMs);
    await clock.advance(30_000);
    expect(records.map((each) => each.attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(records.at(-1)?.recordedAt).toBe(dueMs + 10_314);
  });

  test('believes the first response of concurrent attempts, and records failures in order of start', async () => {
    const findings: [number, Finding][] =
      [[900, TIMEOUT], [100, FAILURE], [50, SUCCESS], [900, TIMEOUT], [500, FAILURE]];
    const { clock, runner, records } = build(async () => {
      const [afterMs, finding] = findings.shift() ?? [0, SUCCESS];
      await sleep(clock, afterMs);
      return finding;
    });
    runner.confirm(buildAssignment({ retries: 2 }));
    await clock.advance(5000);
    expect(outcomes(records)).toEqual(['failure 2 confirm !', 'success 3 confirm !', 'failure 1 confirm !']);
    runner.confirm(buildAssignment({ retries: 1 }));
    await clock.advance(800);
    expect(records).toHaveLength(3);
    await clock.advance(5000);
    expect(outcomes(records).slice(3)).toEqual(['failure 1 confirm !', 'failure 2 confirm !']);
    expect(runner.inFlight).toBe(0);
  });

  test('rechecks sequentially while the probe has no spare capacity', async () => {
    const { clock, runner, records, maxRunning } = build(async (_spec, timeoutMs) => {
      await sleep(clock, timeoutMs);
      return TIMEOUT;
    }, { minQuick: 2, maxQuick: 2 });
    runner.confirm(buildAssignment({ retries: 2, interval_ms: 60_000, timeout_ms: 500 }));
    await clock.advance(10_000);
    expect(records.map((each) => each.attempt)).toEqual([1, 2, 3]);
    expect(maxRunning()).toBe(1);
  });

  test('delays no slot for an on-demand check, and records none of these as missed', async () => {
    const { clock, runner, records } = build(async (_spec, timeoutMs) => {
      await sleep(clock, timeoutMs);
      return TIMEOUT;
    }, { minQuick: 1, maxQuick: 1, maxQueued: 1 });
    const [one, two, three] =
      [0, 1, 2].map(() => buildAssignment({ interval_ms: 10_000, timeout_ms: 900, retries: 0 }));
    for (const monitor of [one, two, three]) runner.confirm(monitor as Assignment);
    await clock.advance(100);
    const dueMs = clock.now();
    runner.slot(one as Assignment, dueMs);
    await clock.advance(5000);
    const ofOne = records.filter((each) => each.monitor_id === one?.monitor_id);
    expect(outcomes(ofOne)).toEqual(['failure 1 confirm !', 'failure 1 schedule !']);
    expect(ofOne[1]).toMatchObject({ scheduled_at: dueMs });
    expect(records.filter((each) => each.outcome === 'missed')).toEqual([]);
    const stopped = build(async () => sleep(clock, 60_000).then(() => TIMEOUT));
    stopped.runner.confirm(one as Assignment);
    const end = stopped.runner.stop(100);
    await stopped.clock.advance(200);
    await end;
    expect(stopped.records).toEqual([]);
  });

  test('starts over when an assignment changes', async () => {
    const { clock, runner, records } = build(async () => FAILURE);
    const monitor = buildAssignment({ retries: 1 });
    runner.slot(monitor, clock.now());
    await clock.advance(10_000);
    runner.forget(monitor.monitor_id);
    runner.slot({ ...monitor, assignment_rev: 2 }, clock.now());
    await clock.advance(10_000);
    expect(records.map((each) => `${each.assignment_rev}/${each.attempt}`)).toEqual([
      '1/1', '1/2', '2/1', '2/2',
    ]);
  });

  test('does not wait for the old check\'s timeout when an assignment changes', async () => {
    const { clock, runner, records } = build(async (spec, timeoutMs) => {
      await sleep(clock, (spec as { url: string }).url === 'hang' ? timeoutMs : 10);
      return (spec as { url: string }).url === 'hang' ? TIMEOUT : SUCCESS;
    });
    const monitor = buildAssignment({ timeout_ms: 9000, spec: buildHttpSpec({ url: 'hang' }) });
    const dueMs = clock.now();
    runner.slot(monitor, dueMs);
    await clock.advance(500);
    runner.forget(monitor.monitor_id);
    expect(runner.openSlots()).toEqual([{ monitorId: monitor.monitor_id, dueMs }]);
    runner.slot({ ...monitor, assignment_rev: 2, spec: buildHttpSpec({ url: 'quick' }) }, clock.now());
    await clock.advance(100);
    expect(records.map((each) => `${each.assignment_rev} ${each.outcome}`)).toEqual(['2 success']);
    await clock.advance(10_000);
    expect(records.map((each) => `${each.assignment_rev} ${each.outcome} ${each.attempt}`)).toEqual([
      '2 success 1', '1 failure 1',
    ]);
    expect(runner.inFlight).toBe(0);
    expect(runner.openSlots()).toEqual([]);
  });

  test("runs a slot after the previous slot's check, or records it as missed if that is too late", async () => {
    const { clock, runner, records } = build(async () => {
      await sleep(clock, 1300);
      return SUCCESS;
    });
    const monitor = buildAssignment({ interval_ms: 1000, timeout_ms: 2000 });
    runner.slot(monitor, clock.now());
    await clock.advance(1000);
    const second = clock.now();
    runner.slot(monitor, second);
    await clock.advance(1600);
    expect(records.map((each) => [each.outcome, each.scheduled_at])).toEqual([
      ['success', second - 1000], ['success', second],
    ]);
    const third = clock.now();
    runner.slot(monitor, third);
    await clock.advance(100);
    runner.slot(monitor, third + 100);
    runner.slot(monitor, third + 150);
    await clock.advance(1200);
    expect(records.slice(2, 3)).toMatchObject([
      { outcome: 'missed', missed: { reason: 'overload', count: 1 }, scheduled_at: third + 100 },
    ]);
  });

  test('delays no check if one target in a hundred hangs', async () => {
    const { clock, runner, records } = build(async (spec, timeoutMs) => {
      const hangs = (spec as { url: string }).url === 'hang';
      await sleep(clock, hangs ? timeoutMs : 20);
      return hangs ? TIMEOUT : SUCCESS;
    }, { maxQuick: 64 });
    const monitors = Array.from({ length: 2000 }, (_, at) => buildAssignment({
      interval_ms: 10_000, timeout_ms: 10_000, phase_ms: at * 5,
      spec: buildHttpSpec({ url: at % 100 === 0 ? 'hang' : 'quick' }),
    }));
    const scheduler = new Scheduler(clock, {
      due: (assignment, dueMs) => runner.slot(assignment, dueMs),
      missed: (assignment, run, reason) =>
        void records.push({ ...missedResult(assignment, run, reason), urgent: false, recordedAt: 0 }),
    });
    for (const monitor of monitors) scheduler.set(monitor);
    scheduler.start();
    await clock.advance(60_000);
    const quick = records.filter(
      (each) => monitors.some((one, at) => at % 100 !== 0 && one.monitor_id === each.monitor_id),
    );
    expect(quick.filter((each) => each.outcome !== 'success')).toEqual([]);
    const lateness = quick.map((each) => each.started_at - each.scheduled_at).sort((a, b) => a - b);
    expect(lateness[Math.floor(lateness.length * 0.99)]).toBeLessThanOrEqual(6);
    scheduler.stop();
  });

  test('rejects checks beyond its capacity as missed with a reason, and blames no target', async () => {
    const { clock, runner, records, maxRunning } = build(async () => {
      await sleep(clock, 900);
      return SUCCESS;
    }, { minQuick: 4, maxQuick: 20, maxSlow: 10, maxQueued: 100 });
    for (let at = 0; at < 500; at += 1) runner.slot(buildAssignment(), clock.now());
    await clock.advance(20_000);
    expect(records).toHaveLength(500);
    const refused = records.filter((each) => each.outcome === 'missed');
    expect(new Set(refused.map((each) => each.missed?.reason))).toEqual(new Set(['overload']));
    expect(records.filter((each) => each.outcome === 'success').length).toBeGreaterThanOrEqual(100);
    expect(maxRunning()).toBeLessThanOrEqual(30);
  });

  test('lets all monitors run every other slot if it can run only three in five', async () => {
    const { clock, runner, records } = build(async () => {
      await sleep(clock, 100);
      return SUCCESS;
    }, { minQuick: 6, maxQuick: 6 });
    const scheduler = new Scheduler(clock, {
      due: (assignment, dueMs) => runner.slot(assignment, dueMs),
      missed: (assignment, run, reason) => runner.recordMissed(assignment, run, reason),
    });
    for (let at = 0; at < 100; at += 1) {
      scheduler.set(buildAssignment({ interval_ms: 1000, timeout_ms: 1000, phase_ms: (at * 7919) % 1000 }));
    }
    scheduler.start();
    await clock.advance(3000);
    records.length = 0;
    await clock.advance(30_000);
    scheduler.stop();
    const missedAt = new Set(
      records.flatMap((each) => (each.missed ? [`${each.monitor_id} ${each.scheduled_at}`] : [])),
    );
    expect(missedAt.size / records.length).toBeCloseTo(0.4, 1);
    const twice = records.filter(
      (each) => each.missed && missedAt.has(`${each.monitor_id} ${each.scheduled_at + 1000}`),
    );
    expect(twice).toEqual([]);
  });

  test('records slots missed in a row together, before the next result and after at most five seconds', async () => {
    const { clock, runner, records } = build(async () => SUCCESS, { minQuick: 1, maxQuick: 1 });
    const monitor = buildAssignment({ interval_ms: 1000, timeout_ms: 1000 });
    const miss = async (count: number) => {
      for (let missed = 0; missed < count; missed += 1) {
        runner.recordMissed(monitor, { atMs: clock.now(), count: 1 }, 'overload');
        await clock.advance(1000);
      }
    };
    const begin = clock.now();
    await miss(8);
    expect(records).toMatchObject([{ scheduled_at: begin, missed: { reason: 'overload', count: 6 } }]);
    expect(runner.openSlots().map(({ dueMs }) => dueMs - begin)).toEqual([6000, 7000]);
    runner.slot(monitor, clock.now());
    await clock.advance(10);
    expect(records.slice(1)).toMatchObject([
      { scheduled_at: begin + 6000, missed: { count: 2 } }, { scheduled_at: begin + 8000, outcome: 'success' },
    ]);
    await miss(1);
    runner.forget(monitor.monitor_id);
    expect(records[3]).toMatchObject({ outcome: 'missed', missed: { count: 1 } });
    expect(runner.openSlots()).toEqual([]);
  });

  test('does not blame the target for a failure while the process was stalled', async () => {
    const { clock, runner, records } = build(async (_spec, timeoutMs) => {
      await sleep(clock, timeoutMs);
      return TIMEOUT;
    });
    runner.slot(buildAssignment({ timeout_ms: 5000 }), clock.now());
    await clock.advance(50);
    clock.stalledMs += 60_000;
    await clock.advance(6000);
    expect(records).toMatchObject([{ outcome: 'missed', missed: { reason: 'overload' } }]);
  });

  test('does not call a target slow whose response came while the process was stalled', async () => {
    const { clock, runner, records } = build(async () => {
      const startedAt = clock.monotonic();
      await sleep(clock, 1500);
      const response_time_ms = clock.monotonic() - startedAt;
      return { ...SUCCESS, response_time_ms, degraded: response_time_ms > 2000, timings: { first_byte: response_time_ms } };
    });
    const check = async (stalledMs: number) => {
      runner.slot(buildAssignment({ timeout_ms: 10_000 }), clock.now());
      await clock.advance(1000);
      clock.stalledMs += stalledMs;
      await clock.advance(1000);
    };
    await check(2000);
    await check(0);
    expect(records).toMatchObject([
      { outcome: 'success', status_code: 200, response_time_ms: null, degraded: false, timings: null },
      { outcome: 'success', status_code: 200, response_time_ms: 1500, degraded: false, timings: { first_byte: 1500 } },
    ]);
  });

  test('fails no slow target whose response came while the process was stalled', async () => {
    const slow: Finding = {
      ...SUCCESS, outcome: 'failure', response_time_ms: 3500, error: { type: 'slow_response', message: 'Slow' },
    };
    const { clock, runner, records } = build(async () => {
      await sleep(clock, 1500);
      return slow;
    });
    const check = async (stalledMs: number) => {
      runner.slot(buildAssignment({ timeout_ms: 10_000, retries: 0 }), clock.now());
      await clock.advance(1000);
      clock.stalledMs += stalledMs;
      await clock.advance(1000);
    };
    await check(4000);
    await check(0);
    expect(records).toMatchObject([
      { outcome: 'success', status_code: 200, response_time_ms: null, error: null },
      { outcome: 'failure', status_code: 200, response_time_ms: 3500, error: slow.error },
    ]);
  });

  test('runs orders in addition to the schedule, with a limit, and records no slots for them', async () => {
    const { clock, runner, records } = build(async () => {
      await sleep(clock, 100);
      return SUCCESS;
    }, { maxOrders: 2 });
    const monitor = buildAssignment();
    const results = Promise.all([1, 2, 3].map(() => runner.order(monitor, 'manual')));
    await clock.advance(200);
    expect((await results).map((each) => [each.outcome, each.reason, each.missed?.reason])).toEqual([
      ['success', 'manual', undefined], ['success', 'manual', undefined], ['missed', 'manual', 'overload'],
    ]);
    expect(records).toEqual([]);
  });

  test('waits for running checks when it stops, and records abandoned ones', async () => {
    const { clock, runner, records } = build(async (_spec, timeoutMs) => {
      await sleep(clock, timeoutMs);
      return SUCCESS;
    });
    const [short, long] = [buildAssignment({ timeout_ms: 500 }), buildAssignment({ timeout_ms: 30_000 })];
    runner.slot(short, clock.now());
    runner.slot(long, clock.now());
    let isStopped = false;
    void runner.stop(3000).then(() => (isStopped = true));
    await clock.advance(2900);
    expect(isStopped).toBe(false);
    await clock.advance(200);
    expect(isStopped).toBe(true);
    expect(
      records.map((each) => [each.monitor_id === short.monitor_id, each.outcome, each.missed?.reason]),
    ).toEqual([[true, 'success', undefined], [false, 'missed', 'probe_down']]);
    expect(runner.openSlots()).toEqual([]);
    await clock.advance(60_000);
    expect(records).toHaveLength(2);
  });

  test('records each slot once or keeps it open, whatever checks do and however long they take', async () => {
    const behaviour = fc.record({
      tookMs: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 3000 })),
      finding: fc.constantFrom(SUCCESS, FAILURE, TIMEOUT, missed('blocked_target')),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviour, { minLength: 1, maxLength: 20 }),
        fc.array(
          fc.record({ interval_ms: fc.integer({ min: 200, max: 5000 }), retries: fc.nat(3) }),
          { minLength: 1, maxLength: 8 },
        ),
        fc.integer({ min: 100, max: 15_000 }), fc.boolean(), fc.integer({ min: 1, max: 4 }),
        async (behaviours, kinds, runMs, isStopped, maxQuick) => {
          let turn = 0;
          const { clock, runner, records } = build(async () => {
            const { tookMs, finding } =
              behaviours[turn++ % behaviours.length] as { tookMs: number; finding: Finding };
            await sleep(clock, tookMs);
            return finding;
          }, { minQuick: 1, maxQuick, maxSlow: 2, maxQueued: 3 });
          const slots: string[] = [];
          const scheduler = new Scheduler(clock, {
            due: (assignment, dueMs) => {
              slots.push(`${assignment.monitor_id}@${dueMs}`);
              runner.slot(assignment, dueMs);
            },
            missed: () => undefined,
          });
          const monitors = kinds.map((kind) => buildAssignment({ ...kind, timeout_ms: kind.interval_ms }));
          const ids = monitors.map((monitor) => monitor.monitor_id);
          for (const monitor of monitors) scheduler.set(monitor, clock.now());
          scheduler.start();
          for (let part = 0; part < 4; part += 1) {
            await clock.advance(runMs / 4);
            if (behaviours.length % 2 === 0) runner.forget(ids[part % ids.length] as string);
          }
          scheduler.stop();
          if (isStopped) {
            const stopped = runner.stop(500);
            await clock.advance(500);
            await stopped;
          }
          const intervalOf = new Map(monitors.map((each) => [each.monitor_id, each.interval_ms]));
          const firsts = records.filter((each) => each.attempt === 1).flatMap((each) =>
            Array.from({ length: each.missed?.count ?? 1 }, (_, at) =>
              `${each.monitor_id}@${each.scheduled_at + at * (intervalOf.get(each.monitor_id) as number)}`));
          const open = runner.openSlots().map((slot) => `${slot.monitorId}@${slot.dueMs}`);
          if (isStopped) expect(open).toEqual([]);
          expect([...firsts, ...open].sort()).toEqual(slots.sort());
        },
      ),
      { numRuns: fewOrAll(40, 150) },
    );
  });
});
