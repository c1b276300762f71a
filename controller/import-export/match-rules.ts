import type { MonitorDoc } from '../monitors/monitor.ts';
import type { MonitorItem } from './schema.ts';

type Named = Pick<MonitorItem, 'name' | 'type' | 'target'>;

/**
 * The existing monitor of each item, null if the item is new. Names need not be unique: among monitors with
 * the item's name, prefers one with its type and target, else takes the oldest that no other item matches.
 */
export function matchByName(items: readonly Named[], docs: readonly MonitorDoc[]): (MonitorDoc | null)[] {
  const free = new Map<string, MonitorDoc[]>();
  for (const doc of [...docs].sort(byAge)) {
    const named = free.get(doc.name);
    if (named) named.push(doc);
    else free.set(doc.name, [doc]);
  }
  const take = (item: Named, isMatch: (doc: MonitorDoc) => boolean): MonitorDoc | null => {
    const named = free.get(item.name) ?? [];
    const at = named.findIndex(isMatch);
    return at < 0 ? null : (named.splice(at, 1)[0] ?? null);
  };
  const exact = items.map((item) => take(item, (doc) =>
    doc.type === item.type && (doc.type === 'HEARTBEAT' || doc.target === item.target)));
  return items.map((item, at) => exact[at] ?? take(item, () => true));
}

function byAge(one: MonitorDoc, other: MonitorDoc): number {
  return one.created_at - other.created_at || (one._id < other._id ? -1 : 1);
}
