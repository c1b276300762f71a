import {
  BsonType, elementsOf, fieldOf, Fields, fromByteString, isNumber, isOperatorObject, type Value,
} from '../bson/value.ts';
import { UPDATE_OPERATORS } from '../supported-features.ts';
import { badValue, ErrorCode, failedToParse, MongoFailure } from '../errors.ts';
import { parsePath } from '../query/path.ts';

/** One operator applied to one path. */
export interface Change {
  readonly operator: string;
  readonly name: string;
  readonly path: readonly string[];
  readonly operand: Value;
}

export type Update =
  | { readonly kind: 'replace'; readonly doc: Value }
  | { readonly kind: 'change'; readonly changes: readonly Change[] };

/** Parses an update or a replacement document. Throws for everything outside the closed list. */
export function parseUpdate(value: Value): Update {
  if (value.type !== BsonType.object) throw failedToParse('an update must be a document, not a pipeline');
  const changes: Change[] = [];
  const isReplacement = !isOperatorObject(value);
  const fields = new Fields(value);
  while (fields.advance()) {
    const operator = fields.name;
    if (isReplacement) {
      if (!operator.startsWith('$')) continue;
      const message = `the field '${fromByteString(operator)}' is not allowed in a replacement`;
      throw new MongoFailure(ErrorCode.dollarPrefixed, message);
    }
    if (!UPDATE_OPERATORS.has(operator)) throw failedToParse(`Unknown modifier: ${fromByteString(operator)}`);
    if (fields.type !== BsonType.object) throw failedToParse(`${operator} needs a document`);
    const targets = new Fields(fields.value());
    while (targets.advance()) changes.push(parseChange(operator, targets.name, targets.value()));
  }
  if (isReplacement) return { kind: 'replace', doc: value };
  changes.sort((a, b) => comparePaths(a.path, b.path));
  refuseConflicts(changes);
  return { kind: 'change', changes };
}

function parseChange(operator: string, name: string, operand: Value): Change {
  const path = parsePath(name);
  if (operator === '$inc' && !isNumber(operand)) {
    const message = `Cannot increment '${fromByteString(name)}' by a non-number`;
    throw new MongoFailure(ErrorCode.typeMismatch, message);
  }
  if (operator === '$pull' && operand.type === BsonType.object) {
    throw badValue('$pull removes plain values only; conditions are not supported');
  }
  if (operator === '$addToSet' && isOperatorObject(operand)) throw badValue('$addToSet adds one value only');
  return { operator, name, path, operand: operator === '$push' ? parseEach(operand) : operand };
}

/** The array of `{ $each: [...] }`. */
function parseEach(operand: Value): Value {
  const each = operand.type === BsonType.object ? fieldOf(operand, '$each') : undefined;
  if (each?.type !== BsonType.array || elementsOf(operand).length > 1) {
    throw badValue('$push needs $each with an array, and nothing else');
  }
  return each;
}

/** By part, numbers by value: the order in which MongoDB adds new fields. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a[i] as string, b[i] as string];
    if (x === y) continue;
    const areNumbers = /^\d+$/.test(x) && /^\d+$/.test(y);
    return (areNumbers && x.length - y.length) || (x < y ? -1 : 1);
  }
  return a.length - b.length;
}

function refuseConflicts(changes: readonly Change[]): void {
  for (let i = 1; i < changes.length; i++) {
    const [before, after] = [changes[i - 1] as Change, changes[i] as Change];
    if (!before.path.every((part, at) => after.path[at] === part)) continue;
    const [name, other] = [fromByteString(after.name), fromByteString(before.name)];
    const message = `Updating '${name}' would create a conflict at '${other}'`;
    throw new MongoFailure(ErrorCode.conflictingUpdate, message);
  }
}
