import type { MonitorDoc } from './monitor.ts';

interface Item {
  name: string;
  type: string;
  target?: string | undefined;
}

/**
 * The monitor that each item of a document means: names may be given twice, so first the one of the same type and target, then
 * the oldest of that name that no other item means. Null: there is none yet.
 */
export function matchByName(items: readonly Item[], docs: readonly MonitorDoc[]): (MonitorDoc | null)[] {
  const free = new Map<string, MonitorDoc[]>();
  for (const doc of [...docs].sort((one, other) => one.created_at - other.created_at || (one._id < other._id ? -1 : 1))) {
    const named = free.get(doc.name);
    if (named === undefined) free.set(doc.name, [doc]);
    else named.push(doc);
  }
  const take = (item: Item, isMeant: (doc: MonitorDoc) => boolean): MonitorDoc | null => {
    const named = free.get(item.name) ?? [];
    const at = named.findIndex(isMeant);
    return at < 0 ? null : (named.splice(at, 1)[0] ?? null);
  };
  const exact = items.map((item) => take(item, (doc) => doc.type === item.type && (doc.type === 'HEARTBEAT' || doc.target === item.target)));
  return items.map((item, at) => exact[at] ?? take(item, () => true));
}
