import { compareValues, equalValues } from '../bson/compare.ts';
import { BsonType, documentValue, fieldOf, fromByteString, isNumber, type Value } from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { increment } from './arithmetic.ts';
import type { Change, Update } from './parse-update.ts';
import { Branch, branchAt, openBranch, writeBranch, type Node } from './tree.ts';

/** The document after the update; equal bytes when nothing changed. Throws, when a change cannot be made. */
export function applyUpdate(before: Buffer, update: Update, isInsert: boolean): Buffer {
  const old = documentValue(before);
  const oldId = fieldOf(old, '_id');
  if (update.kind === 'replace') return replacement(oldId, update.doc);
  const root = openBranch(old);
  for (const change of update.changes) {
    if (change.operator !== '$setOnInsert' || isInsert) applyChange(root, change);
  }
  const writer = new BsonWriter(before.length + 256);
  writeBranch(root, writer, '_id');
  const after = writer.finish();
  if (oldId !== undefined) refuseNewId(oldId, fieldOf(documentValue(after), '_id'));
  return after;
}

function replacement(oldId: Value | undefined, doc: Value): Buffer {
  const newId = fieldOf(doc, '_id');
  if (oldId !== undefined && newId !== undefined) refuseNewId(oldId, newId);
  const root = openBranch(doc);
  const id = oldId ?? newId;
  if (id !== undefined) root.members.set('_id', id);
  const writer = new BsonWriter(doc.end - doc.at + 64);
  writeBranch(root, writer, '_id');
  return writer.finish();
}

function refuseNewId(oldId: Value, newId: Value | undefined): void {
  if (newId !== undefined && equalValues(oldId, newId)) return;
  throw new MongoFailure(ErrorCode.immutableField, "Performing an update on the path '_id' would modify the immutable field '_id'");
}

const CREATES: ReadonlySet<string> = new Set(['$set', '$inc', '$min', '$max', '$setOnInsert', '$push', '$addToSet']);

function applyChange(root: Branch, change: Change): void {
  const creates = CREATES.has(change.operator);
  let parent = root;
  for (let i = 0; i + 1 < change.path.length; i++) {
    const part = change.path[i] as string;
    const child = branchAt(parent, part) ?? (creates ? newBranch(parent, part, change) : null);
    if (child === null) return;
    if (child.type === BsonType.array) {
      if (!creates) refusePlace(change, change.path[i + 1] as string);
      else throw notViable(change, change.path[i + 1] as string);
      return;
    }
    parent = child;
  }
  applyAt(parent, change.path[change.path.length - 1] as string, change);
}

function newBranch(parent: Branch, part: string, change: Change): Branch {
  if (parent.members.has(part)) throw notViable(change, part);
  const branch = new Branch(BsonType.object);
  parent.members.set(part, branch);
  return branch;
}

function refusePlace(change: Change, part: string): void {
  if (/^\d+$/.test(part)) throw badValue(`${change.operator}: places in arrays are not served: '${fromByteString(change.name)}'`);
}

function notViable(change: Change, part: string): MongoFailure {
  return new MongoFailure(ErrorCode.pathNotViable, `Cannot create field '${fromByteString(part)}' of the path '${fromByteString(change.name)}': its parent is no document`);
}

function applyAt(parent: Branch, name: string, change: Change): void {
  const current = parent.members.get(name);
  switch (change.operator) {
    case '$set':
    case '$setOnInsert':
      parent.members.set(name, change.operand);
      break;
    case '$unset':
      parent.members.delete(name);
      break;
    case '$inc':
      parent.members.set(name, current === undefined ? change.operand : increment(numberAt(current, change), change.operand));
      break;
    case '$min':
    case '$max':
      setExtreme(parent, name, current, change);
      break;
    case '$pull':
      if (current !== undefined) pull(arrayAt(parent, name, change), change.operand);
      break;
    default:
      addItems(parent, name, current, change);
  }
}

function numberAt(current: Node, change: Change): Value {
  if (!(current instanceof Branch) && isNumber(current)) return current;
  throw new MongoFailure(ErrorCode.typeMismatch, `Cannot apply $inc to a value of non-numeric type: the field '${fromByteString(change.name)}'`);
}

function setExtreme(parent: Branch, name: string, current: Node | undefined, change: Change): void {
  if (current === undefined) parent.members.set(name, change.operand);
  else {
    const order = compareValues(change.operand, encoded(current));
    if (change.operator === '$min' ? order < 0 : order > 0) parent.members.set(name, change.operand);
  }
}

/** Paths of one update never overlap, so a member that a change ends at is still encoded. */
function encoded(node: Node): Value {
  if (node instanceof Branch) throw new Error('two changes met in one field');
  return node;
}

function arrayAt(parent: Branch, name: string, change: Change): Branch {
  const branch = branchAt(parent, name);
  if (branch?.type === BsonType.array) return branch;
  if (change.operator === '$pull') throw badValue('Cannot apply $pull to a non-array value');
  throw badValue(`The field '${fromByteString(change.name)}' must be an array to apply ${change.operator}`);
}

function addItems(parent: Branch, name: string, current: Node | undefined, change: Change): void {
  if (current === undefined) parent.members.set(name, new Branch(BsonType.array));
  const array = current === undefined ? (parent.members.get(name) as Branch) : arrayAt(parent, name, change);
  for (const item of change.items) {
    if (change.operator === '$addToSet' && [...array.members.values()].some((member) => equalValues(encoded(member), item))) continue;
    array.members.set(String(array.members.size), item);
  }
}

function pull(array: Branch, value: Value): void {
  const kept = [...array.members.values()].filter((member) => !equalValues(encoded(member), value));
  if (kept.length === array.members.size) return;
  array.members.clear();
  kept.forEach((member, index) => array.members.set(String(index), member));
}
