import { expect, test } from 'vitest';
import { monitorEvents, type WrittenMonitor } from '../../../controller/events/views.ts';

const written = (id: string, change: Partial<WrittenMonitor> = {}): WrittenMonitor =>
  ({ _id: id, organization_id: 'acme', project_id: 'web', revision: 1, deleted_at: null, ...change });

test('written monitors are told to their own projects, those that were deleted apart', () => {
  const events = monitorEvents([
    written('a'), written('b', { project_id: 'mail' }), written('c', { deleted_at: 5 }), written('d'),
    written('e', { organization_id: 'other' }),
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
  const all = Array.from({ length: 250 }, (_, at) => written(`m${at}`));
  const named = monitorEvents(all, 7).map(({ data }) => data['monitor_ids'] as string[]);
  expect(named.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(named.flat()).toEqual(all.map(({ _id }) => _id));
});

test('telling the same revisions again is the same event, and another revision is not', () => {
  const idOf = (revision: number, at: number) => monitorEvents([written('a', { revision })], at)[0]?.id;
  expect(idOf(1, 7)).toBe(idOf(1, 8));
  expect(idOf(2, 7)).not.toBe(idOf(1, 7));
});
