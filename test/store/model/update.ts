import { compare, isDoc, type Doc } from './values.ts';

/** The document after an update; null when the update fails. The oracle of tests. */
export function updated(before: Doc, update: Doc, isInsert: boolean): Doc | null {
  const names = Object.keys(update);
  if (!names[0]?.startsWith('$')) return '_id' in before ? { _id: before['_id'], ...update } : update;
  const doc = structuredCopy(before);
  const changes = Object.entries(update).flatMap(([operator, targets]) =>
    Object.entries(targets as Doc).map(([path, operand]) => ({ operator, path: path.split('.'), operand })),
  );
  changes.sort((a, b) => (a.path.join('\0') < b.path.join('\0') ? -1 : 1));
  for (const { operator, path, operand } of changes) {
    if (operator === '$setOnInsert' && !isInsert) continue;
    if (!change(doc, operator, path, operand)) return null;
  }
  return doc;
}

function structuredCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(structuredCopy) as T;
  if (!isDoc(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, structuredCopy(member)]);
  return Object.fromEntries(members) as T;
}

/** False when the change is an error. */
function change(root: Doc, operator: string, path: readonly string[], operand: unknown): boolean {
  const isRemoval = operator === '$unset' || operator === '$pull';
  let parent: Doc = root;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(parent, part)) {
      if (isRemoval) return true;
      parent[part] = {};
    }
    const next = parent[part];
    if (!isDoc(next)) return isRemoval;
    parent = next;
  }
  const name = path[path.length - 1]!;
  return changeField(parent, name, Object.hasOwn(parent, name) ? parent[name] : undefined, operator, operand);
}

function changeField(
  parent: Doc, name: string, current: unknown, operator: string, operand: unknown,
): boolean {
  switch (operator) {
    case '$set':
    case '$setOnInsert':
      parent[name] = operand;
      return true;
    case '$unset':
      delete parent[name];
      return true;
    case '$inc':
      if (current !== undefined && typeof current !== 'number') return false;
      parent[name] = ((current as number | undefined) ?? 0) + (operand as number);
      return true;
    case '$min':
    case '$max':
      if (current === undefined || compare(operand, current) * (operator === '$min' ? -1 : 1) > 0) {
        parent[name] = operand;
      }
      return true;
    case '$pull':
      if (current === undefined) return true;
      if (!Array.isArray(current)) return false;
      parent[name] = current.filter((member) => compare(member, operand) !== 0);
      return true;
    default:
      return addTo(parent, name, current, operator, operand);
  }
}

function addTo(parent: Doc, name: string, current: unknown, operator: string, operand: unknown): boolean {
  if (current !== undefined && !Array.isArray(current)) return false;
  const list = [...((current as unknown[] | undefined) ?? [])];
  if (operator === '$push') list.push(...((operand as Doc)['$each'] as unknown[]));
  else if (!list.some((member) => compare(member, operand) === 0)) list.push(operand);
  parent[name] = list;
  return true;
}
