import {
  BsonType, elementsOf, Fields, fromByteString, isOperatorObject, isTruthy, stringOf, type Value,
} from '../bson/value.ts';
import { LOGICAL_OPERATORS, QUERY_OPERATORS } from '../supported-features.ts';
import { badValue } from '../errors.ts';
import { parsePath } from './path.ts';

/** A parsed filter. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | Condition;

/** A condition on one path: `name` is the dotted path, a byte string, and `path` its parts. */
export type Condition = { readonly name: string; readonly path: readonly string[] } & Test;

type Test =
  | { readonly kind: 'eq' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Value }
  | { readonly kind: 'in'; readonly values: readonly Value[] }
  | { readonly kind: 'exists' }
  /** The field is a string that contains these UTF-8 bytes. */
  | { readonly kind: 'contains'; readonly text: Buffer };

export const EVERYTHING: Filter = { kind: 'and', of: [] };

/** The conditions that must all hold: the filter itself or its parts. */
export function conjuncts(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.of : [filter];
}

/** Parses a query document. Throws BadValue for everything outside the closed list. */
export function parseFilter(doc: Value): Filter {
  const parts: Filter[] = [];
  const fields = new Fields(doc);
  while (fields.advance()) {
    const { name } = fields;
    if (name.startsWith('$')) parts.push(parseLogical(name, fields.value()));
    else parts.push(...parseField(name, fields.value()));
  }
  return parts.length === 1 ? (parts[0] as Filter) : { kind: 'and', of: parts };
}

function parseLogical(name: string, value: Value): Filter {
  if (!LOGICAL_OPERATORS.has(name)) throw badValue(`unknown top level operator: ${fromByteString(name)}`);
  if (value.type !== BsonType.array) throw badValue(`${name} must be an array`);
  const parts = elementsOf(value).map((part) => {
    if (part.type !== BsonType.object) throw badValue(`${name} entries need to be full objects`);
    return parseFilter(part);
  });
  if (parts.length === 0) throw badValue(`${name} must be a nonempty array`);
  return { kind: 'or', of: parts };
}

function parseField(name: string, value: Value): Filter[] {
  const path = parsePath(name);
  if (!isOperatorObject(value)) return [{ name, path, kind: 'eq', value }];
  const out: Filter[] = [];
  const fields = new Fields(value);
  while (fields.advance()) {
    const { test, isNegated } = parseOperator(fields.name, fields.value());
    const condition: Condition = { name, path, ...test };
    out.push(isNegated ? { kind: 'not', of: condition } : condition);
  }
  return out;
}

function parseOperator(operator: string, value: Value): { test: Test; isNegated: boolean } {
  if (!QUERY_OPERATORS.has(operator)) throw badValue(`unknown operator: ${fromByteString(operator)}`);
  switch (operator) {
    case '$in':
    case '$nin':
      return { test: { kind: 'in', values: parseMembers(operator, value) }, isNegated: operator === '$nin' };
    case '$exists':
      return { test: { kind: 'exists' }, isNegated: !isTruthy(value) };
    case '$regex':
      return { test: { kind: 'contains', text: parseLiteral(value) }, isNegated: false };
    case '$ne':
      return { test: { kind: 'eq', value }, isNegated: true };
    default:
      return { test: { kind: operator.slice(1) as 'gt' | 'gte' | 'lt' | 'lte', value }, isNegated: false };
  }
}

function parseMembers(operator: string, value: Value): Value[] {
  if (value.type !== BsonType.array) throw badValue(`${operator} needs an array`);
  const members = elementsOf(value);
  if (members.some(isOperatorObject)) throw badValue(`cannot nest $ under ${operator}`);
  return members;
}

/** An escaped character or an unescaped metacharacter. */
const META = /\\(.?)|[.*+?()[\]{}|$^]/gsu;

/** The literal text of a pattern without metacharacters: the store supports no regular expressions. */
function parseLiteral(pattern: Value): Buffer {
  if (pattern.type !== BsonType.string) throw badValue('$regex has to be a string');
  const literal = stringOf(pattern).replace(META, (found, escaped: string | undefined) => {
    if (escaped !== undefined && /[^\p{L}\p{N}_]/u.test(escaped)) return escaped;
    throw badValue(`$regex supports literal text only, found '${found}'`);
  });
  return Buffer.from(literal);
}
