import { describe, expect, test } from 'vitest';
import { applyItem, newMonitorState } from '../../../../controller/verdicts/monitor-rules.ts';
import type { JournaledPing, MonitorItem, MonitorState } from '../../../../controller/verdicts/monitor-state.ts';
import { withRunTimes } from '../../../../controller/results/intake/ping-rules.ts';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import { configOf, HOUR } from '../../results/build.ts';

const MINUTE = 60_000;
const CONFIG = configOf({
  type: 'HEARTBEAT', interval_ms: 10 * MINUTE, heartbeat: { interval_ms: 10 * MINUTE, grace_ms: MINUTE },
});

const ping = (
  minute: number, kind: JournaledPing['kind'] = 'success', more: Partial<JournaledPing> = {},
): MonitorItem => ({ kind: 'ping', ping: {
  id: `${minute}`, monitor_id: CONFIG.monitor_id, kind, exit_code: null, at: HOUR + minute * MINUTE,
  run_ms: null, ...more,
} });
const start = (minute: number, run_id: string | null = null) => ping(minute, 'start', { run_id });
const end = (minute: number, run_id: string | null = null) => ping(minute, 'success', { run_id });
const overdue = (minute: number): MonitorItem => ({ kind: 'overdue', at: HOUR + minute * MINUTE });
const unmonitored = (from: number, until: number): MonitorItem =>
  ({ kind: 'unwatched', from: HOUR + from * MINUTE, until: HOUR + until * MINUTE });
const afterAll = (config: MonitorConfig, items: MonitorItem[]): MonitorState =>
  items.reduce((state, item, n) => applyItem(state, item, { n, index: 0 }).state, newMonitorState(config));
const after = (...items: MonitorItem[]): MonitorState => afterAll(CONFIG, items);
const deadline = (state: MonitorState) => ((state.heartbeat?.deadline ?? 0) - HOUR) / MINUTE;

describe('a heartbeat', () => {
  test('is due one interval and the grace period after a ping', () => {
    expect(deadline(after())).toBe(11);
    expect(deadline(after(ping(5)))).toBe(16);
    expect(deadline(after(ping(5), ping(7, 'start')))).toBe(16);
  });

  test('is down once its deadline has passed, unless a ping has moved it', () => {
    expect(after(ping(5), overdue(16))).toMatchObject({
      status: 'down', since: HOUR + 16 * MINUTE, outage: { type: 'timeout', severity: 'critical' },
    });
    expect(after(ping(5), ping(12), overdue(16)).status).toBe('up');
    expect(after(ping(5), overdue(16), ping(20))).toMatchObject({ status: 'up', outage: null });
  });

  test('ignores an older ping that arrives late', () => {
    expect(after(ping(5, 'fail'), ping(4)).status).toBe('down');
  });

  test('gets a later deadline after unmonitored time; if a ping was due meanwhile, the countdown restarts', () => {
    expect(deadline(after(ping(5), unmonitored(6, 8)))).toBe(18);
    expect(deadline(after(ping(5), unmonitored(13, 15)))).toBe(26);
    expect(after(ping(5), unmonitored(13, 15), overdue(16)).status).toBe('up');
    expect(after(ping(5), unmonitored(17, 30), overdue(16)).status).toBe('down');
    expect(deadline(after(ping(5), unmonitored(-500, 7)))).toBe(18);
    expect(deadline(after(ping(5), unmonitored(-500, 3)))).toBe(16);
  });

  test('accounts no unmonitored time', () => {
    const { accounted } = after(ping(0), unmonitored(10, 20), { kind: 'hour', until: HOUR + 60 * MINUTE });
    expect(accounted[HOUR]).toEqual([50 * MINUTE, 0, 0]);
  });

  test('restarts its countdown when it is resumed or its schedule changes', () => {
    const config = (change: object, minute: number): MonitorItem => ({
      kind: 'config', config: { ...CONFIG, revision: minute, changed_at: HOUR + minute * MINUTE, ...change },
    });
    expect(deadline(after(ping(5), config({ name: 'new' }, 7)))).toBe(16);
    expect(
      deadline(after(ping(5), config({ heartbeat: { interval_ms: MINUTE, grace_ms: MINUTE } }, 7))),
    ).toBe(9);
    const resumed = after(ping(5), config({ status: 'paused' }, 7), ping(8), config({}, 30));
    expect([resumed.status, deadline(resumed), resumed.heartbeat?.last_at]).toEqual([
      'unknown', 41, HOUR + 5 * MINUTE,
    ]);
  });

  test('measures a run from the latest start ping to the end ping', () => {
    const sent = (id: string, kind: JournaledPing['kind'], at: number) =>
      ({ id, monitor_id: 'm', kind, exit_code: null, at, revision: 1 });
    const times = withRunTimes(
      [sent('d', 'success', 9), sent('a', 'success', 1), sent('c', 'fail', 7), sent('b', 'start', 4)],
      () => 0,
    );
    expect(times.map(({ id, run_ms: ms }) => [id, ms])).toEqual([
      ['a', 1], ['b', null], ['c', 3], ['d', null],
    ]);
  });
});

describe('a heartbeat with a schedule', () => {
  const schedule = { cron: '*/30 * * * *', timezone: 'UTC' };
  const heartbeat = { interval_ms: 1, grace_ms: MINUTE, schedule, first_due_at: HOUR + 30 * MINUTE };
  const scheduled = (...items: MonitorItem[]): MonitorState => afterAll({ ...CONFIG, heartbeat }, items);
  const onTime = (minute: number, due: number) => ping(minute, 'success', { due_at: HOUR + due * MINUTE });
  const due = (minute: number): MonitorItem => ({ kind: 'due', at: HOUR + minute * MINUTE });

  test('is overdue a grace period after each due time, whenever the last ping arrived', () => {
    expect(deadline(scheduled())).toBe(31);
    expect(deadline(scheduled(onTime(30.5, 60)))).toBe(61);
    const missed = scheduled(onTime(30.5, 60), overdue(61));
    expect(missed).toMatchObject({ status: 'down', since: HOUR + 61 * MINUTE, outage: { type: 'timeout' } });
    expect(missed.outage?.message).toMatch(/^No ping since .*:30:30.000Z; due at .*:00:00.000Z by the schedule \*\/30 \* \* \* \* \(UTC\)$/);
    expect(scheduled(overdue(31)).outage?.message).toMatch(/^No ping yet; due at /);
    expect(scheduled(onTime(30.5, 60), overdue(61), onTime(70, 90))).toMatchObject({ status: 'up', outage: null });
  });

  test('waits for the next due time after unmonitored time in which a ping may be lost', () => {
    expect(deadline(scheduled(onTime(1, 30), unmonitored(10, 29)))).toBe(31);
    const unsure = scheduled(onTime(1, 30), unmonitored(29.5, 31.5), overdue(31));
    expect(unsure).toMatchObject({ status: 'up', heartbeat: { lost_until: HOUR + 31.5 * MINUTE } });
    const waiting = scheduled(onTime(1, 30), unmonitored(29.5, 31.5), due(60));
    expect([deadline(waiting), waiting.heartbeat?.lost_until]).toEqual([61, undefined]);
    const arrived = scheduled(onTime(1, 30), unmonitored(29.5, 30.1), onTime(30.5, 60), due(90));
    expect([deadline(arrived), arrived.heartbeat?.lost_until]).toEqual([61, undefined]);
    expect(scheduled(onTime(1, 30), unmonitored(31.5, 40), overdue(31)).status).toBe('down');
  });
});

describe('a run with a limit', () => {
  const heartbeat = { interval_ms: 60 * MINUTE, grace_ms: MINUTE, max_runtime_ms: 5 * MINUTE };
  const limited = (...items: MonitorItem[]): MonitorState => afterAll({ ...CONFIG, heartbeat }, items);

  test('fails unless it ends in time, and its start counts for its due time', () => {
    const failed = limited(start(2), overdue(7));
    expect(failed).toMatchObject({ status: 'down', since: HOUR + 7 * MINUTE, outage: { type: 'timeout' } });
    expect(failed.outage?.message).toMatch(/^The run that started at .*:02:00.000Z did not end within 300 s$/);
    expect(limited(start(2), end(6), overdue(7)).status).toBe('up');
    expect(limited(start(2), overdue(7), end(9))).toMatchObject({ status: 'up', outage: null, heartbeat: { runs: [] } });
    expect(deadline(limited(end(1), start(50)))).toBe(111);
    expect(deadline(after(ping(1), start(5)))).toBe(12);
    expect(limited(start(2), ping(3, 'fail'), end(4), overdue(7)).status).toBe('up');
  });

  test('is distinguished from parallel runs by its id, and from a restart without an end', () => {
    expect(limited(start(2, 'a'), start(3, 'b'), end(4, 'b'), overdue(7)).status).toBe('down');
    expect(limited(start(2, 'a'), start(3, 'b'), end(4, 'b'), end(4, 'a'), overdue(8)).status).toBe('up');
    expect(limited(start(2), start(6), overdue(7)).status).toBe('down');
    expect(limited(start(2, 'a'), ping(3, 'fail'), end(9, 'b'), overdue(9)).status).toBe('up');
  });

  test('has no deadline after unmonitored time in which its end may be lost', () => {
    expect(limited(start(2), unmonitored(4, 6), overdue(7)).status).toBe('unknown');
    expect(limited(start(2), unmonitored(8, 9), overdue(7)).status).toBe('down');
  });
});
