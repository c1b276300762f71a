import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { overviewTexts } from '../texts/overview.ts';
import { toast, toastError } from '../ui/toast.tsx';
import type { Monitor } from './monitor.ts';
import type { MonitorList } from './monitor-list.ts';

export type BulkChange =
  | { action: 'pause' | 'resume' | 'delete' }
  | { action: 'tag' | 'untag'; tags: string[] }
  | { action: 'move'; group_id: string | null };

const BATCH_SIZE = 500;

/** Applies a change to all of these monitors, reports how many changed, and offers an undo if possible. */
export async function changeAll(list: MonitorList, ids: readonly string[], change: BulkChange): Promise<void> {
  const before = new Map(ids.flatMap((id) => {
    const monitor = list.monitors.get(id);
    return monitor === undefined ? [] : [[id, { ...monitor }] as const];
  }));
  const changed = await send(list, ids, change);
  if (changed.length === 0) return;
  const undo = undoOf(change, changed.flatMap((id) => before.get(id) ?? []));
  const text = {
    pause: overviewTexts.paused, resume: overviewTexts.resumed, delete: overviewTexts.deleted,
    tag: overviewTexts.tagged, untag: overviewTexts.tagged, move: overviewTexts.moved,
  }[change.action](changed.length);
  toast(text, undo.length === 0 ? undefined : async () => {
    for (const each of undo) await send(list, each.ids, each.change);
  });
}

/** The ids that changed. Reports refused ones. Rejects with ApiError. */
async function send(list: MonitorList, ids: readonly string[], change: BulkChange): Promise<string[]> {
  const changed: string[] = [];
  const failures: { message: string }[] = [];
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const body = { monitor_ids: ids.slice(at, at + BATCH_SIZE), ...change };
    const done = await unwrap(api.POST('/api/monitors/bulk', { body: body as never }));
    changed.push(...done.monitor_ids);
    failures.push(...done.failures);
  }
  if (change.action === 'delete') list.remove(changed);
  else list.change(changed, (monitor) => showChange(monitor, change));
  if (failures.length > 0) toastError(new Error(overviewTexts.refused(failures.length, failures[0]?.message ?? '')));
  void queries.invalidateQueries({ queryKey: ['monitors'], predicate: ({ queryKey }) => queryKey[1] !== 'overview' });
  return changed;
}

function showChange(monitor: Monitor, change: BulkChange): void {
  switch (change.action) {
    case 'pause':
      monitor.status = 'paused';
      monitor.runtimeStatus = 'paused';
      return;
    case 'resume':
      monitor.status = 'active';
      if (monitor.runtimeStatus === 'paused') monitor.runtimeStatus = 'unknown';
      return;
    case 'tag':
      monitor.tags = [...new Set([...monitor.tags, ...change.tags])];
      return;
    case 'untag':
      monitor.tags = monitor.tags.filter((tag) => !change.tags.includes(tag));
      return;
    case 'move':
      monitor.group_id = change.group_id;
      return;
    case 'delete':
  }
}

interface Undo {
  ids: string[];
  change: BulkChange;
}

/** The changes that restore `before`; none for a deletion or if nothing changed. */
function undoOf(change: BulkChange, before: readonly Monitor[]): Undo[] {
  const idsOf = (monitors: readonly Monitor[]) => monitors.map(({ id }) => id);
  switch (change.action) {
    case 'delete': return [];
    // Resuming a disabled monitor can't be undone in bulk, so it stays resumed.
    case 'pause': return undoFor(idsOf(before.filter(({ status }) => status === 'active')), { action: 'resume' });
    case 'resume': return undoFor(idsOf(before.filter(({ status }) => status === 'paused')), { action: 'pause' });
    case 'move': {
      const groups = [...new Set(before.map(({ group_id: id }) => id))].filter((id) => id !== change.group_id);
      return groups.flatMap((id) => undoFor(idsOf(before.filter((one) => one.group_id === id)), { action: 'move', group_id: id }));
    }
    case 'tag': return change.tags.flatMap((tag) =>
      undoFor(idsOf(before.filter(({ tags }) => !tags.includes(tag))), { action: 'untag', tags: [tag] }));
    case 'untag': return change.tags.flatMap((tag) =>
      undoFor(idsOf(before.filter(({ tags }) => tags.includes(tag))), { action: 'tag', tags: [tag] }));
  }
}

function undoFor(ids: string[], change: BulkChange): Undo[] {
  return ids.length === 0 ? [] : [{ ids, change }];
}
