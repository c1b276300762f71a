import { describe, expect, test } from 'vitest';
import { factsOf, maintenanceOf } from '../../../controller/rehearsal/fact-rules.ts';
import { missedOutages } from '../../../controller/rehearsal/outage-rules.ts';
import type { StatusChange } from '../../../controller/verdicts/monitor-state.ts';

const change = (at: number, rest: Partial<StatusChange>): StatusChange => ({
  id: String(at), monitor_id: 'm', organization_id: 'o', project_id: 'p', from: 'up', to: 'up', at,
  reason: 'check succeeded', incident_id: null, ...rest,
});
const began = (at: number) => change(at, { reason: 'maintenance began', in_maintenance: true });
const ended = (at: number) => change(at, { reason: 'maintenance ended' });

describe('maintenance of the past', () => {
  test('is what the status history tells, and held alerts as its windows do', () => {
    const known = [{ from: 10, until: 20, holds_alerts: false }];
    expect(maintenanceOf([began(10), ended(20), began(30), ended(40)], known, 100)).toEqual([
      { from: 10, until: 20, holds_alerts: false }, { from: 30, until: 40, holds_alerts: true },
    ]);
  });

  test('may have begun before the history, and last beyond it', () => {
    expect(maintenanceOf([change(5, { in_maintenance: true }), ended(20)], [], 100))
      .toEqual([{ from: 5, until: 20, holds_alerts: true }]);
    expect(maintenanceOf([began(90)], [{ from: 90, until: 150, holds_alerts: true }], 100))
      .toEqual([{ from: 90, until: 150, holds_alerts: true }]);
  });

  test('does not begin with a change that was applied before its end', () => {
    const late = change(21, { in_maintenance: true });
    expect(maintenanceOf([began(10), ended(20), late], [], 100)).toEqual([{ from: 10, until: 20, holds_alerts: true }]);
  });

  test('ends after a pause', () => {
    expect(maintenanceOf([began(10), change(15, { to: 'paused' })], [], 100))
      .toEqual([{ from: 10, until: 16, holds_alerts: true }]);
  });
});

test('pauses, acknowledgements and ends by people are facts, in order', () => {
  const incident = {
    id: 'i', monitor_id: 'm', project_id: 'p', severity: 'major', type: 'timeout', error_message: '', features: [],
    started_at: 5, opened_at: 6, acknowledged_at: 12, ended: { at: 30, by_hand: true, changed_at: 30 }, late: false, maintenance_until: null,
  } as const;
  const changes = [change(20, { to: 'paused' }), change(25, { from: 'paused', to: 'unknown' })];
  expect(factsOf(changes, [{ ...incident, features: [] }])).toEqual([
    { at: 12, kind: 'acknowledge' }, { at: 20, kind: 'pause' }, { at: 25, kind: 'resume' }, { at: 30, kind: 'end_by_hand' },
  ]);
});

test('an outage is missed if no alert of its monitor tells of one at the same time', () => {
  const outage = (monitor_id: string, from: number, until: number | null) => ({ monitor_id, from, until, notified_at: from + 1 });
  const actual = [outage('a', 10, 20), outage('a', 50, null), outage('b', 10, 20), outage('b', 1, 3)];
  expect(missedOutages(actual, [outage('a', 12, 18)], { from: 5, to: 100 })).toEqual([
    { monitor_id: 'b', from: 10, to: 20 }, { monitor_id: 'a', from: 50, to: 100 },
  ]);
});
