import type { Document } from 'bson';

/** The fields of commands that contain written data. */
const WRITES: Record<string, (command: Document) => Document> = {
  insert: (command) => ({ ...command, documents: (command['documents'] as Document[]).map(withoutNulls) }),
  update: (command) => ({
    ...command, updates: (command['updates'] as Document[]).map((one) => ({ ...one, u: changeWithoutNulls(one['u']) })),
  }),
  findAndModify: (command) =>
    (command['update'] ? { ...command, update: changeWithoutNulls(command['update']) } : command),
};

/** A command as a database that stores no nulls would execute it; null if it writes nothing. */
export function nullFreeCommand(command: Document): Document | null {
  return WRITES[Object.keys(command)[0] as string]?.(command) ?? null;
}

/** The value without null fields at any depth. Array elements stay. */
function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  if (!isPlain(value)) return value;
  const nonNull = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(nonNull.map(([name, inner]) => [name, withoutNulls(inner)])) as T;
}

function changeWithoutNulls(change: Document): Document {
  if (!Object.keys(change)[0]?.startsWith('$')) return withoutNulls(change);
  const { $set = {}, $unset = {}, ...rest } = change;
  const cleared = Object.entries($set).filter(([, value]) => value === null).map(([name]) => [name, '']);
  return filled({ ...withoutNulls(rest), $set: withoutNulls($set), $unset: { ...$unset, ...Object.fromEntries(cleared) } });
}

/** Without empty operators, unless none would remain. */
function filled(change: Document): Document {
  const used = Object.entries(change).filter(([, fields]) => Object.keys(fields).length > 0);
  return used.length > 0 ? Object.fromEntries(used) : { $set: {} };
}

/** False for the driver's classes of BSON values. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !('_bsontype' in value) && !ArrayBuffer.isView(value);
}
