import { describe, expect, test } from 'vitest';
import { applyItem, newMonitorState } from '../../../../controller/verdicts/monitor-rules.ts';
import type { JournaledPing, MonitorItem, MonitorState } from '../../../../controller/verdicts/monitor-state.ts';
import { withRunTimes } from '../../../../controller/results/intake/ping-rules.ts';
import { configOf, HOUR } from '../../results/build.ts';

const MINUTE = 60_000;
const CONFIG = configOf({
  type: 'HEARTBEAT', interval_ms: 10 * MINUTE, heartbeat: { interval_ms: 10 * MINUTE, grace_ms: MINUTE },
});

const ping = (minute: number, kind: JournaledPing['kind'] = 'success'): MonitorItem =>
  ({ kind: 'ping', ping: {
    id: `${minute}`, monitor_id: CONFIG.monitor_id, kind, exit_code: null, at: HOUR + minute * MINUTE,
    run_ms: null,
  } });
const overdue = (minute: number): MonitorItem => ({ kind: 'overdue', at: HOUR + minute * MINUTE });
const unmonitored = (from: number, until: number): MonitorItem =>
  ({ kind: 'unwatched', from: HOUR + from * MINUTE, until: HOUR + until * MINUTE });
const after = (...items: MonitorItem[]): MonitorState =>
  items.reduce((state, item, n) => applyItem(state, item, { n, index: 0 }).state, newMonitorState(CONFIG));
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
