import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './document.ts';

type Named = Record<string, Schema>;

const MAX_REPORTED = 5;

/**
 * The differences between a value and its JSON Schema, with their paths; empty if there are none. An unknown
 * keyword is an error.
 */
export function schemaViolations(schema: Schema, value: unknown, named: Named, at = ''): string[] {
  return [...violationsOf(schema, value, named, at)].slice(0, MAX_REPORTED);
}

type Rule = (schema: Schema, value: unknown, named: Named, at: string) => string[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const violationIf = (isBroken: boolean, at: string, text: string): string[] =>
  (isBroken ? [`${at || 'the value'} ${text}`] : []);

const RULES: Record<string, Rule> = {
  $ref: (schema, value, named, at) => {
    const part = named[String(schema['$ref']).replace('#/components/schemas/', '')];
    if (part === undefined) throw new Error(`${String(schema['$ref'])} is a dangling reference`);
    return violationsOf(part, value, named, at);
  },
  type: (schema, value, _named, at) => {
    const types = [schema['type']].flat() as string[];
    return violationIf(
      !types.some((type) => isOfType(type, value)), at,
      `is not ${types.join(' or ')}: ${JSON.stringify(value)?.slice(0, 60)}`,
    );
  },
  const: (schema, value, _named, at) => violationIf(
    !isDeepStrictEqual(schema['const'], value), at, `is not ${JSON.stringify(schema['const'])}`,
  ),
  enum: (schema, value, _named, at) => violationIf(
    !(schema['enum'] as unknown[]).includes(value), at, `is not one of ${JSON.stringify(schema['enum'])}`,
  ),
  minimum: (schema, value, _named, at) => violationIf(
    typeof value === 'number' && value < (schema['minimum'] as number), at, 'is too small',
  ),
  maximum: (schema, value, _named, at) => violationIf(
    typeof value === 'number' && value > (schema['maximum'] as number), at, 'is too large',
  ),
  exclusiveMinimum: (schema, value, _named, at) => violationIf(
    typeof value === 'number' && value <= (schema['exclusiveMinimum'] as number), at, 'is too small',
  ),
  exclusiveMaximum: (schema, value, _named, at) => violationIf(
    typeof value === 'number' && value >= (schema['exclusiveMaximum'] as number), at, 'is too large',
  ),
  minLength: (schema, value, _named, at) => violationIf(
    typeof value === 'string' && [...value].length < (schema['minLength'] as number), at, 'is too short',
  ),
  maxLength: (schema, value, _named, at) => violationIf(
    typeof value === 'string' && [...value].length > (schema['maxLength'] as number), at, 'is too long',
  ),
  pattern: (schema, value, _named, at) =>
    violationIf(
      typeof value === 'string' && !new RegExp(schema['pattern'] as string, 'u').test(value), at,
      `does not match ${String(schema['pattern'])}`,
    ),
  format: (schema, value, _named, at) => violationIf(
    typeof value === 'string' && !FORMATS[schema['format'] as string]?.test(value), at,
    `is not a valid ${String(schema['format'])}`,
  ),
  minItems: (schema, value, _named, at) => violationIf(
    Array.isArray(value) && value.length < (schema['minItems'] as number), at, 'has too few items',
  ),
  maxItems: (schema, value, _named, at) => violationIf(
    Array.isArray(value) && value.length > (schema['maxItems'] as number), at, 'has too many items',
  ),
  items: (schema, value, named, at) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => violationsOf(schema['items'] as Schema, item, named, `${at}[${index}]`))
      : [],
  required: (schema, value, _named, at) =>
    isObject(value)
      ? (schema['required'] as string[]).flatMap(
        (name) => violationIf(!Object.hasOwn(value, name), `${at}.${name}`, 'is missing'),
      )
      : [],
  properties: (schema, value, named, at) =>
    isObject(value)
      ? Object.entries(schema['properties'] as Record<string, Schema>)
        .flatMap(([name, property]) => (Object.hasOwn(value, name)
          ? violationsOf(property, value[name], named, `${at}.${name}`)
          : []))
      : [],
  additionalProperties: (schema, value, named, at) => {
    if (!isObject(value)) return [];
    const declared = Object.keys((schema['properties'] ?? {}) as object);
    const rest = schema['additionalProperties'] as Schema | boolean;
    return Object.keys(value).filter((name) => !declared.includes(name)).flatMap((name) =>
      (typeof rest === 'object'
        ? violationsOf(rest, value[name], named, `${at}.${name}`)
        : violationIf(!rest, `${at}.${name}`, 'is not declared')));
  },
  propertyNames: (schema, value, named, at) =>
    isObject(value)
      ? Object.keys(value).flatMap(
        (name) => violationsOf(schema['propertyNames'] as Schema, name, named, `${at}.${name}`),
      )
      : [],
  not: (schema, value, named, at) => violationIf(
    violationsOf(schema['not'] as Schema, value, named, at).length === 0, at, 'is what it must not be',
  ),
  maxProperties: (schema, value, _named, at) => violationIf(
    isObject(value) && Object.keys(value).length > (schema['maxProperties'] as number), at, 'has too many fields',
  ),
  allOf: (schema, value, named, at) => (schema['allOf'] as Schema[]).flatMap(
    (one) => violationsOf(one, value, named, at),
  ),
  anyOf: (schema, value, named, at) => closest(
    (schema['anyOf'] as Schema[]).map((one) => violationsOf(one, value, named, at)),
  ),
  oneOf: (schema, value, named, at) => closest(
    (schema['oneOf'] as Schema[]).map((one) => violationsOf(one, value, named, at)),
  ),
  if: (schema, value, named, at) => {
    const branch =
      violationsOf(schema['if'] as Schema, value, named, at).length === 0 ? schema['then'] : schema['else'];
    return branch === undefined ? [] : violationsOf(branch as Schema, value, named, at);
  },
};

/** Keywords that do not constrain the value. */
const SILENT = new Set([
  '$schema', 'description', 'title', 'default', 'fallback', 'readOnly', 'examples', 'then', 'else', 'id', 'x-unit', 'x-secret',
]);

const FORMATS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z0-9+.-]*:/i,
  // Their patterns suffice.
  ipv4: /^/, ipv6: /^/, cidrv4: /^/, cidrv6: /^/,
};

function violationsOf(schema: Schema, value: unknown, named: Named, at: string): string[] {
  const found: string[] = [];
  for (const keyword of Object.keys(schema)) {
    const rule = RULES[keyword];
    if (rule !== undefined) found.push(...rule(schema, value, named, at));
    else if (!SILENT.has(keyword)) {
      throw new Error(`the document contains an unsupported keyword: ${keyword}`);
    }
  }
  return found;
}

/** The smallest set of differences among several alternatives; empty if the value matches one. */
function closest(alternatives: string[][]): string[] {
  return alternatives.sort((one, other) => one.length - other.length)[0] ?? [];
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  return typeof value === type;
}
