import { BsonType, elementsOf, Fields, fromByteString, isNumber, type Value } from '../bson/value.ts';
import { ARRAY_MODIFIERS, UPDATE_OPERATORS } from '../closed-list.ts';
import { badValue, ErrorCode, failedToParse, MongoFailure } from '../errors.ts';
import { isOperatorObject } from '../query/parse-filter.ts';
import { parsePath } from '../query/path.ts';

export interface Change {
  readonly operator: string;
  readonly name: string;
  readonly path: readonly string[];
  readonly operand: Value;
  /** For `$push` and `$addToSet`: what to add. */
  readonly items: readonly Value[];
}

export type Update = { readonly kind: 'replace'; readonly doc: Value } | { readonly kind: 'change'; readonly changes: readonly Change[] };

const MAX_PATH_PARTS = 100;

/** Parses an update or a replacement document. Throws for everything outside the closed list. */
export function parseUpdate(value: Value): Update {
  if (value.type === BsonType.array) throw failedToParse('updates with an aggregation pipeline are not served');
  if (value.type !== BsonType.object) throw failedToParse('Update argument must be either an object or an array');
  if (!isOperatorObject(value)) {
    refuseDollarFields(value);
    return { kind: 'replace', doc: value };
  }
  const changes: Change[] = [];
  const fields = new Fields(value);
  while (fields.advance()) {
    const operator = fields.name;
    if (!UPDATE_OPERATORS.has(operator)) {
      throw failedToParse(`Unknown modifier: ${fromByteString(operator)}. The served ones are ${[...UPDATE_OPERATORS].join(', ')}`);
    }
    const operand = fields.value();
    if (operand.type !== BsonType.object) throw failedToParse(`Modifiers operate on fields but we found another type for ${operator}`);
    const targets = new Fields(operand);
    while (targets.advance()) changes.push(parseChange(operator, targets.name, targets.value()));
  }
  changes.sort((a, b) => comparePaths(a.path, b.path));
  refuseConflicts(changes);
  return { kind: 'change', changes };
}

function parseChange(operator: string, name: string, operand: Value): Change {
  const path = parsePath(name);
  if (path.length > MAX_PATH_PARTS) throw badValue(`the path '${fromByteString(name)}' is too deep`);
  if (operator === '$inc' && !isNumber(operand)) {
    throw new MongoFailure(ErrorCode.typeMismatch, `Cannot increment with non-numeric argument: {${fromByteString(name)}}`);
  }
  if (operator === '$pull' && (operand.type === BsonType.object || operand.type === BsonType.regex)) {
    throw badValue('$pull is served for plain values only, not for conditions');
  }
  const takesItems = operator === '$push' || operator === '$addToSet';
  return { operator, name, path, operand, items: takesItems ? parseItems(operator, operand) : [] };
}

function parseItems(operator: string, operand: Value): readonly Value[] {
  if (!isOperatorObject(operand)) return [operand];
  let items: readonly Value[] = [];
  const modifiers = new Fields(operand);
  while (modifiers.advance()) {
    if (ARRAY_MODIFIERS[operator]?.has(modifiers.name) !== true) throw badValue(`${operator}: the modifier ${fromByteString(modifiers.name)} is not served`);
    if (modifiers.type !== BsonType.array) throw badValue(`The argument to $each in ${operator} must be an array`);
    items = elementsOf(modifiers.value());
  }
  return items;
}

function refuseDollarFields(doc: Value): void {
  const fields = new Fields(doc);
  while (fields.advance()) {
    if (!fields.name.startsWith('$')) continue;
    throw new MongoFailure(ErrorCode.dollarPrefixed, `The dollar ($) prefixed field '${fromByteString(fields.name)}' is not allowed in the context of a replacement`);
  }
}

/** By part, numbers by value: the order in which MongoDB adds new fields. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a[i] as string, b[i] as string];
    if (x === y) continue;
    const bothNumbers = /^\d+$/.test(x) && /^\d+$/.test(y);
    return bothNumbers ? x.length - y.length || (x < y ? -1 : 1) : x < y ? -1 : 1;
  }
  return a.length - b.length;
}

function refuseConflicts(changes: readonly Change[]): void {
  for (let i = 1; i < changes.length; i++) {
    const [before, after] = [changes[i - 1] as Change, changes[i] as Change];
    if (before.path.every((part, at) => after.path[at] === part)) {
      const name = fromByteString(after.name);
      throw new MongoFailure(ErrorCode.conflictingUpdate, `Updating the path '${name}' would create a conflict at '${fromByteString(before.name)}'`);
    }
  }
}
