import { compareValues, equalValues, typeClass } from '../bson/compare.ts';
import { BsonType, toDouble, type Value } from '../bson/value.ts';
import { encodeKey } from '../keys/key-writer.ts';
import type { Condition, Filter } from './filter.ts';
import { visitPath, type Visit } from './path.ts';

export type Matcher = (doc: Value) => boolean;

/** A larger `$in` is matched by a lookup of encoded keys instead of member by member. */
const LARGE_IN = 16;

/** The predicate of a parsed filter. */
export function matcherOf(filter: Filter): Matcher {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.of.map(matcherOf);
      if (filter.kind === 'or') return (doc) => parts.some((part) => part(doc));
      return (doc) => parts.every((part) => part(doc));
    }
    case 'not': {
      const part = matcherOf(filter.of);
      return (doc) => !part(doc);
    }
    default: {
      const test = testOf(filter);
      const { path } = filter;
      return (doc) => visitPath(doc, path, 0, test);
    }
  }
}

function testOf(condition: Condition): Visit {
  switch (condition.kind) {
    case 'exists':
      return (value) => value !== undefined;
    case 'contains': {
      const { text } = condition;
      return (value) => {
        if (value?.type !== BsonType.string) return false;
        return value.buf.subarray(value.at + 4, value.end - 1).includes(text);
      };
    }
    case 'in':
      return membership(condition.values);
    case 'eq': {
      const wanted = condition.value;
      if (wanted.type === BsonType.null) return isNullish;
      return (value) => value !== undefined && equalValues(value, wanted);
    }
    default:
      return ordering(condition.kind, condition.value);
  }
}

function isNullish(value: Value | undefined): boolean {
  return value === undefined || value.type === BsonType.null;
}

function membership(members: readonly Value[]): Visit {
  const hasNull = members.some((member) => member.type === BsonType.null);
  if (members.length < LARGE_IN) {
    return (value) => {
      if (isNullish(value)) return hasNull;
      return members.some((member) => equalValues(member, value as Value));
    };
  }
  const keys = new Set(members.map((member) => encodeKey(member).toString('latin1')));
  return (value) => (isNullish(value) ? hasNull : keys.has(encodeKey(value).toString('latin1')));
}

/** Orderings apply only within a type class; null also matches missing values, NaN matches only itself. */
function ordering(kind: 'gt' | 'gte' | 'lt' | 'lte', bound: Value): Visit {
  const isInclusive = kind === 'gte' || kind === 'lte';
  if (bound.type === BsonType.null) return (value) => isInclusive && isNullish(value);
  if (isNaNValue(bound)) return (value) => isInclusive && value !== undefined && isNaNValue(value);
  const wantedClass = typeClass(bound.type);
  const isUpper = kind === 'lt' || kind === 'lte';
  return (value) => {
    if (value === undefined || typeClass(value.type) !== wantedClass || isNaNValue(value)) return false;
    const order = compareValues(value, bound);
    return order === 0 ? isInclusive : order < 0 === isUpper;
  };
}

function isNaNValue(value: Value): boolean {
  return value.type === BsonType.double && Number.isNaN(toDouble(value));
}
