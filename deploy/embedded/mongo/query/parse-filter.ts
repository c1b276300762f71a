import { BsonType, elementsOf, Fields, fromByteString, isNumber, stringOf, toDouble, type Value } from '../bson/value.ts';
import { LOGICAL_OPERATORS, QUERY_OPERATORS } from '../closed-list.ts';
import { badValue } from '../errors.ts';
import type { Comparison, Condition, Filter } from './filter.ts';
import { literalRegex } from './literal-regex.ts';
import { parsePath } from './path.ts';

const COMPARISONS: Readonly<Record<string, Comparison>> = { $eq: 'eq', $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' };
const MAX_DEPTH = 100;

/** Parses a query document. Throws BadValue for everything outside the closed list. */
export function parseFilter(doc: Value, depth = 0): Filter {
  if (depth > MAX_DEPTH) throw badValue('the query is nested too deeply');
  const parts: Filter[] = [];
  const fields = new Fields(doc);
  while (fields.advance()) {
    const name = fields.name;
    if (name.startsWith('$')) parts.push(parseLogical(name, fields.value(), depth));
    else parts.push(...parseField(name, fields.value(), depth));
  }
  return parts.length === 1 ? (parts[0] as Filter) : { kind: 'and', of: parts };
}

function parseLogical(name: string, value: Value, depth: number): Filter {
  if (!LOGICAL_OPERATORS.has(name)) throw badValue(`unknown top level operator: ${fromByteString(name)}`);
  if (value.type !== BsonType.array) throw badValue(`${name} must be an array`);
  const parts = elementsOf(value).map((part) => {
    if (part.type !== BsonType.object) throw badValue(`${name} entries need to be full objects`);
    return parseFilter(part, depth + 1);
  });
  if (parts.length === 0) throw badValue(`${name} must be a nonempty array`);
  return { kind: name === '$and' ? 'and' : 'or', of: parts };
}

function parseField(name: string, value: Value, depth: number): Filter[] {
  const path = parsePath(name);
  if (value.type === BsonType.regex) return [regexCondition(name, path, ...regexParts(value))];
  if (!isOperatorObject(value)) return [{ kind: 'eq', name, path, value: comparable(value) }];
  return parseOperators(name, path, value, depth);
}

/** Whether the first field's name starts with `$`: then all must be operators. */
export function isOperatorObject(value: Value): boolean {
  return value.type === BsonType.object && value.end - value.at > 5 && value.buf[value.at + 5] === 0x24;
}

function parseOperators(name: string, path: readonly string[], doc: Value, depth: number): Filter[] {
  const out: Filter[] = [];
  const fields = new Fields(doc);
  let regex: Value | undefined;
  let options: Value | undefined;
  while (fields.advance()) {
    const operator = fields.name;
    const value = fields.value();
    if (!QUERY_OPERATORS.has(operator)) throw badValue(`unknown operator: ${fromByteString(operator)}`);
    const comparison = COMPARISONS[operator];
    if (comparison !== undefined) {
      if (value.type === BsonType.regex) throw badValue(`Can't have RegEx as arg to predicate over field '${fromByteString(name)}'.`);
      out.push({ kind: comparison, name, path, value: comparable(value) });
    } else if (operator === '$regex') regex = value;
    else if (operator === '$options') options = value;
    else out.push(parseOther(operator, name, path, value, depth));
  }
  if (regex !== undefined) out.push(regexOperator(name, path, regex, options));
  else if (options !== undefined) throw badValue('$options needs a $regex');
  return out;
}

function parseOther(operator: string, name: string, path: readonly string[], value: Value, depth: number): Filter {
  switch (operator) {
    case '$ne':
      if (value.type === BsonType.regex) throw badValue("Can't have regex as arg to $ne.");
      return { kind: 'not', of: { kind: 'eq', name, path, value: comparable(value) } };
    case '$in':
    case '$nin': {
      const membership: Filter = { kind: 'in', name, path, values: parseMembers(operator, value) };
      return operator === '$in' ? membership : { kind: 'not', of: membership };
    }
    case '$exists': {
      const exists: Filter = { kind: 'exists', name, path };
      return isTruthy(value) ? exists : { kind: 'not', of: exists };
    }
    default:
      return { kind: 'not', of: parseNot(name, path, value, depth) };
  }
}

function parseNot(name: string, path: readonly string[], value: Value, depth: number): Filter {
  if (value.type === BsonType.regex) return regexCondition(name, path, ...regexParts(value));
  if (value.type !== BsonType.object) throw badValue('$not needs a regex or a document');
  if (!isOperatorObject(value)) throw badValue('$not cannot be empty and takes operators only');
  if (depth > MAX_DEPTH) throw badValue('the query is nested too deeply');
  return { kind: 'and', of: parseOperators(name, path, value, depth + 1) };
}

function parseMembers(operator: string, value: Value): Value[] {
  if (value.type !== BsonType.array) throw badValue(`${operator} needs an array`);
  return elementsOf(value).map((member) => {
    if (member.type === BsonType.regex) throw badValue(`regular expressions in ${operator} are not served`);
    if (isOperatorObject(member)) throw badValue(`cannot nest $ under ${operator}`);
    return comparable(member);
  });
}

function regexOperator(name: string, path: readonly string[], regex: Value, options: Value | undefined): Condition {
  if (options !== undefined && options.type !== BsonType.string) throw badValue('$options has to be a string');
  const given = options === undefined ? undefined : stringOf(options);
  if (regex.type === BsonType.string) return regexCondition(name, path, stringOf(regex), given ?? '');
  if (regex.type !== BsonType.regex) throw badValue('$regex has to be a string');
  const [source, own] = regexParts(regex);
  if (given !== undefined && own !== '') throw badValue('options set in both $regex and $options');
  return regexCondition(name, path, source, given ?? own);
}

function regexCondition(name: string, path: readonly string[], source: string, options: string): Condition {
  return { kind: 'regex', name, path, ...literalRegex(source, options) };
}

function regexParts(value: Value): [source: string, options: string] {
  const split = value.buf.indexOf(0, value.at);
  return [value.buf.toString('utf8', value.at, split), value.buf.toString('latin1', split + 1, value.end - 1)];
}

/** Regular expressions inside documents and arrays have no served meaning as data. */
function comparable(value: Value): Value {
  if (value.type === BsonType.regex) throw badValue('a regular expression is not a served value here');
  return value;
}

/** MongoDB's reading of a flag: false, 0 and null are false. */
export function isTruthy(value: Value): boolean {
  if (value.type === BsonType.boolean) return value.buf[value.at] === 1;
  if (value.type === BsonType.null) return false;
  return !isNumber(value) || toDouble(value) !== 0;
}
