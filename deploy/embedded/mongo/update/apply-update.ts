import { compareValues, equalValues } from '../bson/compare.ts';
import {
  BsonType, documentValue, elementsOf, fieldOf, fromByteString, isNumber, type Value,
} from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { refuseArrayPosition } from '../query/path.ts';
import { increment } from './arithmetic.ts';
import type { Change, Update } from './parse-update.ts';
import { Branch, branchAt, openBranch, writeBranch, type Node } from './tree.ts';

/** The document after the update; identical bytes if nothing changed. Throws if a change doesn't apply. */
export function applyUpdate(before: Buffer, update: Update, isInsert: boolean): Buffer {
  const old = documentValue(before);
  const oldId = fieldOf(old, '_id');
  const source = update.kind === 'replace' ? update.doc : old;
  const root = openBranch(source);
  if (update.kind === 'change') {
    for (const change of update.changes) {
      if (change.operator !== '$setOnInsert' || isInsert) applyChange(root, change);
    }
  } else if (oldId !== undefined && !root.members.has('_id')) root.members.set('_id', oldId);
  if (oldId !== undefined) refuseNewId(oldId, root.members.get('_id'));
  const writer = new BsonWriter(source.end - source.at + 256);
  writeBranch(root, writer, '_id');
  return writer.finish();
}

function refuseNewId(oldId: Value, newId: Node | undefined): void {
  if (newId !== undefined && !(newId instanceof Branch) && equalValues(oldId, newId)) return;
  throw new MongoFailure(ErrorCode.immutableField, "an update must not change '_id'");
}

function applyChange(root: Branch, change: Change): void {
  const creates = change.operator !== '$unset' && change.operator !== '$pull';
  let parent = root;
  for (const [i, part] of change.path.slice(0, -1).entries()) {
    const child = branchAt(parent, part) ?? (creates ? newBranch(parent, part, change) : null);
    if (child === null) return;
    if (child.type === BsonType.array) {
      const inner = change.path[i + 1] as string;
      if (creates) throw notViable(change, inner);
      return refuseArrayPosition(inner);
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

function notViable(change: Change, part: string): MongoFailure {
  const [field, path] = [fromByteString(part), fromByteString(change.name)];
  return new MongoFailure(ErrorCode.pathNotViable, `Cannot create '${field}' of '${path}' there`);
}

function applyAt(parent: Branch, name: string, change: Change): void {
  const { members } = parent;
  const { operator, operand } = change;
  const current = members.get(name);
  switch (operator) {
    case '$unset':
      members.delete(name);
      break;
    case '$inc':
      members.set(name, current === undefined ? operand : increment(numberAt(current, change), operand));
      break;
    case '$min':
      if (current === undefined || compareValues(operand, encoded(current)) < 0) members.set(name, operand);
      break;
    case '$max':
      if (current === undefined || compareValues(operand, encoded(current)) > 0) members.set(name, operand);
      break;
    case '$pull':
      if (current !== undefined) pull(arrayAt(parent, name, change), operand);
      break;
    case '$push':
    case '$addToSet':
      addItems(arrayAt(parent, name, change), change);
      break;
    default:
      members.set(name, operand);
  }
}

function numberAt(current: Node, change: Change): Value {
  if (!(current instanceof Branch) && isNumber(current)) return current;
  const message = `Cannot increment '${fromByteString(change.name)}': not a number`;
  throw new MongoFailure(ErrorCode.typeMismatch, message);
}

/** Paths within an update never overlap, so a member at the end of one is still encoded. */
function encoded(node: Node): Value {
  if (node instanceof Branch) throw new Error('two changes met in one field');
  return node;
}

/** The array at the end of the path, created if the field is missing. */
function arrayAt(parent: Branch, name: string, change: Change): Branch {
  if (!parent.members.has(name)) parent.members.set(name, new Branch(BsonType.array));
  const branch = branchAt(parent, name);
  if (branch?.type === BsonType.array) return branch;
  throw badValue(`${change.operator}: '${fromByteString(change.name)}' must be an array`);
}

function addItems(array: Branch, { operator, operand }: Change): void {
  const { members } = array;
  if (operator === '$push') {
    for (const item of elementsOf(operand)) members.set(String(members.size), item);
  } else if (![...members.values()].some((member) => equalValues(encoded(member), operand))) {
    members.set(String(members.size), operand);
  }
}

function pull(array: Branch, value: Value): void {
  const remaining = [...array.members.values()].filter((member) => !equalValues(encoded(member), value));
  if (remaining.length === array.members.size) return;
  array.members.clear();
  remaining.forEach((member, index) => array.members.set(String(index), member));
}
