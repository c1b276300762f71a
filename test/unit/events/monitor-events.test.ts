import { expect, test } from 'vitest';
import { monitorEvents, type ChangedMonitor } from '../../../controller/events/event.ts';

const changedMonitor = (id: string, change: Partial<ChangedMonitor> = {}): ChangedMonitor =>
  ({ _id: id, organization_id: 'acme', project_id: 'web', revision: 1, deleted_at: null, ...change });

test('publishes changed monitors to their own projects, deleted ones separately', () => {
  const events = monitorEvents([
    changedMonitor('a'), changedMonitor('b', { project_id: 'mail' }), changedMonitor('c', { deleted_at: 5 }), changedMonitor('d'),
    changedMonitor('e', { organization_id: 'other' }),
  ], 7);
  expect(events.map(({ organization_id, project_id, kind, at, data }) => ({ organization_id, project_id, kind, at, ...data })))
    .toEqual([
      { organization_id: 'acme', project_id: 'web', kind: 'monitor.changed', at: 7, monitor_ids: ['a', 'd'] },
      { organization_id: 'acme', project_id: 'mail', kind: 'monitor.changed', at: 7, monitor_ids: ['b'] },
      { organization_id: 'acme', project_id: 'web', kind: 'monitor.deleted', at: 7, monitor_ids: ['c'] },
      { organization_id: 'other', project_id: 'web', kind: 'monitor.changed', at: 7, monitor_ids: ['e'] },
    ]);
});

test('an event names at most a hundred monitors', () => {
  const all = Array.from({ length: 250 }, (_, at) => changedMonitor(`m${at}`));
  const named = monitorEvents(all, 7).map(({ data }) => data['monitor_ids'] as string[]);
  expect(named.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(named.flat()).toEqual(all.map(({ _id }) => _id));
});

test('repeating the same revisions gives the same event id, another revision does not', () => {
  const idOf = (revision: number, at: number) => monitorEvents([changedMonitor('a', { revision })], at)[0]?.id;
  expect(idOf(1, 7)).toBe(idOf(1, 8));
  expect(idOf(2, 7)).not.toBe(idOf(1, 7));
});
