import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { schemaViolations } from '../fuzz/schema-violations.ts';
import type { Schema } from '../fuzz/document.ts';

type Named = Record<string, Schema>;

/** Lists in values are short; `brokenFrom` tests their limits. */
const MAX_ITEMS = 3;
const ZONES = ['Z', '+00:00', '-11:30', '+14:00'];

/** Values that match the schema, without read-only fields. Throws for an unknown keyword. */
export function fitting(schema: Schema, named: Named): fc.Arbitrary<unknown> {
  const branches = [[schema['if'], schema['then']], [{}, schema['else']]] as [Schema, Schema | undefined][];
  if ('if' in schema) {
    const { if: _if, then: _then, else: _else, ...plain } = schema;
    const variants = branches.map(([condition, branch]) => merged(plain, condition, branch ?? {}));
    return fc.oneof(...variants.map((variant) => fitting(variant, named)))
      .filter((value) => schemaViolations(schema, value, named).length === 0);
  }
  if ('$ref' in schema) return fitting(named[String(schema['$ref']).split('/').at(-1) as string] as Schema, named);
  if ('const' in schema) return fc.constant(schema['const']);
  if ('enum' in schema) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const options = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (options !== undefined) return fc.oneof(...options.map((option) => fitting(option, named)));
  if (schema['type'] === undefined) return fc.constant('anything');
  const types = [schema['type']].flat() as string[];
  return fc.oneof(...types.map((type) => ofType(type, schema, named)));
}

function ofType(type: string, schema: Schema, named: Named): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null': return fc.constant(null);
    case 'boolean': return fc.boolean();
    case 'integer': return fc.integer(range(schema, -(2 ** 31), 2 ** 31 - 1));
    case 'number': return fc.double({ ...range(schema, -1e9, 1e9), noNaN: true });
    case 'string': return textOf(schema);
    case 'array': return listOf(schema, named);
    case 'object': return objectOf(schema, named);
    default: throw new Error(`a schema has the type ${type}`);
  }
}

function range(schema: Schema, min: number, max: number): { min: number; max: number } {
  const { minimum = min, maximum = max } = schema as { minimum?: number; maximum?: number };
  return { min: Math.max(minimum, min), max: Math.min(maximum, max) };
}

/** fast-check spends milliseconds on preparing each kind of text. */
const texts = new Map<string, fc.Arbitrary<string>>();

function textOf({ description: _description, ...schema }: Schema): fc.Arbitrary<string> {
  const key = JSON.stringify(schema);
  const known = texts.get(key) ?? newTextOf(schema);
  texts.set(key, known);
  return known;
}

function newTextOf(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 300, pattern, format } = schema as {
    minLength?: number; maxLength?: number; pattern?: string; format?: string;
  };
  const fits = (text: string) => schemaViolations(schema, text, {}).length === 0;
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') {
    const zone = fc.constantFrom(...ZONES);
    const at = fc.date({ min: new Date('2001-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    return fc.tuple(at, zone).map(([when, offset]) => when.toISOString().replace('Z', offset)).filter(fits);
  }
  if (format === 'uri') return fc.webUrl({ validSchemes: ['https'] }).filter(fits);
  // A pattern that only excludes characters doesn't constrain the length.
  const isLoose = pattern === undefined || /^\^\[\^[^\]]*\]\*\$$/.test(pattern);
  if (!isLoose) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits);
  return fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 300) }).filter(fits);
}

function listOf(schema: Schema, named: Named): fc.Arbitrary<unknown[]> {
  const { minItems = 0, maxItems = MAX_ITEMS, items } = schema as {
    minItems?: number; maxItems?: number; items: Schema;
  };
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, MAX_ITEMS)) };
  const item = fitting(items, named);
  return schema['uniqueItems'] === true
    ? fc.uniqueArray(item, { ...bounds, comparator: isDeepStrictEqual })
    : fc.array(item, bounds);
}

function objectOf(schema: Schema, named: Named): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema as {
    properties?: Record<string, Schema>; required?: string[];
    additionalProperties?: Schema | boolean; propertyNames?: Schema;
  };
  const sent = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true);
  const shape = Object.fromEntries(sent.map(([name, part]) => [name, fitting(part, named)]));
  // Only a few of many fields at once, so that a rejected one doesn't mask the others.
  const optional = Object.keys(shape).filter((name) => !required.includes(name));
  const some = fc.subarray(optional, { maxLength: Math.min(3, optional.length) });
  const own = some.chain((names) => fc.record(
    Object.fromEntries([...required, ...names].map((name) => [name, shape[name] as fc.Arbitrary<unknown>])),
    { noNullPrototype: true },
  ));
  if (typeof additionalProperties !== 'object') return own;
  const names = fitting(propertyNames ?? { type: 'string' }, named) as fc.Arbitrary<string>;
  const more = fc.dictionary(names, fitting(additionalProperties, named), {
    maxKeys: MAX_ITEMS, noNullPrototype: true,
  });
  return fc.tuple(own, more).map(([fields, others]) => ({ ...others, ...fields }));
}

function merged(plain: Schema, ...parts: Schema[]): Schema {
  const properties = { ...(plain['properties'] as object) } as Record<string, Schema>;
  let required = [...((plain['required'] ?? []) as string[])];
  for (const part of parts) {
    for (const [name, rule] of Object.entries((part['properties'] ?? {}) as Record<string, Schema>)) {
      properties[name] = { ...properties[name], ...rule };
    }
    required = [...new Set([...required, ...((part['required'] ?? []) as string[])])];
  }
  return { ...plain, properties, required };
}

interface Location {
  owner: Record<string | number, unknown>;
  name: string | number;
}

/** The value with one part replaced so that the schema rejects it; null if the attempt failed. */
export function brokenFrom(schema: Schema, value: unknown, named: Named): fc.Arbitrary<unknown> {
  return fc.tuple(fc.nat(), fc.nat()).map(([locationAt, breakAt]) => {
    const root = { body: structuredClone(value) };
    const locations = locationsIn(root);
    const { owner, name } = locations[locationAt % locations.length] as Location;
    const replacements = breakings(owner[name]);
    owner[name] = replacements[breakAt % replacements.length];
    return schemaViolations(schema, root.body, named).length === 0 ? null : root.body;
  });
}

function locationsIn(value: unknown): Location[] {
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((name) => [{ owner, name }, ...locationsIn(owner[name])]);
}

function breakings(value: unknown): unknown[] {
  const others = [null, true, -1, 0, 0.5, 1e15, '', ' ', 'x', '\u0007', 'a\u0085b', [], {}, ['x'], { x: 1 }];
  if (typeof value === 'string') {
    return [
      ...others, `${value}\u0007`, `\n${value}`, `${value} `, value.repeat(50), 'x'.repeat(70_000), '𝒳'.repeat(300),
      value.slice(1), value.toUpperCase(), `${value}@`, `${value}/`,
    ];
  }
  if (typeof value === 'number') return [...others, value + 0.5, -value - 1, value + 1e9, String(value)];
  if (Array.isArray(value)) {
    const many = (count: number) => Array.from({ length: count }, (_, at) => value[at % value.length] ?? 'x');
    return [...others, many(21), many(101), many(1001), [...value, null], [...value, ...value]];
  }
  if (typeof value !== 'object' || value === null) return others;
  const names = Object.keys(value);
  const without = names.map((name) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)));
  return [...others, { ...value, surplus: 1 }, { ...value, '': 1 }, ...without];
}
