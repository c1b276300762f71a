import type { Collection, Filter } from 'mongodb';

interface Aging {
  _id: string;
  created_at: number;
}

/** Removes up to `limit` documents created before `before` (Unix ms), oldest first; returns how many. */
export async function removeOlder<Doc extends Aging>(
  of: Collection<Doc>, before: number, limit: number,
): Promise<number> {
  const aged = of.find({ created_at: { $lt: before } } as Filter<Doc>).sort({ created_at: 1 }).limit(limit);
  const ids = (await aged.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
  if (ids.length > 0) await of.deleteMany({ _id: { $in: ids } } as Filter<Doc>);
  return ids.length;
}
