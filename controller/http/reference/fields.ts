import { escapeHtml } from '../../pages/html.ts';

/** A JSON schema, as the OpenAPI document has them. */
export type JsonSchema = Record<string, unknown>;

interface Field {
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
}

const DEEPEST = 6;

/** The fields of an object, nested ones by dotted names, as a table; what is no object as one line. */
export function fieldsHtml(schema: JsonSchema): string {
  const fields = fieldsOf(schema, '', DEEPEST);
  if (fields.length === 0) return `<p>${typeHtml(schema)}</p>`;
  const ignored = fields.filter((field) => Object.keys(field.schema).length === 0).map((field) => `<code>${escapeHtml(field.name)}</code>`);
  const rows = fields.filter((field) => Object.keys(field.schema).length > 0).map(rowHtml);
  const more = ignored.length === 0 ? '' : `<p>Accepted and ignored, so that the result of a read can be sent back: ${ignored.join(', ')}.</p>`;
  return `${tableHtml(['Field', 'Type', 'Rule'], rows)}${more}`;
}

/** `rows`: the markup of each row's cells. */
export function tableHtml(names: string[], rows: string[]): string {
  const head = names.map((name) => `<th scope="col">${name}</th>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.map((row) => `<tr>${row}</tr>`).join('')}</tbody></table>`;
}

/** Text with what stands in backticks as code. */
export function proseHtml(text: string): string {
  return escapeHtml(text).replace(/&#96;((?:(?!&#96;).)+)&#96;/g, '<code>$1</code>');
}

/** What a value may be, with a link where it is a resource. */
export function typeHtml(schema: JsonSchema): string {
  const ref = /^#\/components\/schemas\/(\w+)$/.exec(String(schema['$ref']))?.[1];
  if (ref !== undefined) return `<a href="#schema-${ref}">${ref}</a>`;
  if ('const' in schema) return valueHtml(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(valueHtml).join(', ');
  const choices = variantsOf(schema);
  if (choices.length > 0) return [...new Set(choices.map(typeHtml))].join(' or ');
  if (schema['type'] === 'array') return `array of ${typeHtml(objectOr(schema['items']))}`;
  const values = objectOr(schema['additionalProperties']);
  if (schema['type'] === 'object' && schema['properties'] === undefined && Object.keys(values).length > 0) return `object of ${typeHtml(values)}`;
  const format = schema['format'];
  const types = Array.isArray(schema['type']) ? schema['type'].join(' or ') : String(schema['type'] ?? 'anything');
  return escapeHtml(types) + (typeof format === 'string' ? ` (${escapeHtml(format)})` : '');
}

/** Bounds, default and pattern of a value, in words. */
export function ruleHtml(schema: JsonSchema): string {
  const inner = variantsOf(schema).find((one) => one['type'] !== 'null') ?? {};
  const all: JsonSchema = { ...inner, ...schema };
  const pattern = all['format'] === undefined && all['type'] !== 'integer' && all['pattern'] !== undefined ? `matches <code>${escapeHtml(String(all['pattern']))}</code>` : '';
  const rules = [
    bounds(all['minimum'], all['maximum'], ''), bounds(all['minLength'], all['maxLength'], ' characters'), bounds(all['minItems'], all['maxItems'], ' items'), pattern,
    all['default'] === undefined ? '' : `default ${valueHtml(all['default'])}`,
  ].filter((rule) => rule !== '');
  const told = typeof all['description'] === 'string' ? [proseHtml(all['description'])] : [];
  return [...told, ...(rules.length > 0 ? [rules.join('; ')] : [])].join('<br>');
}

function rowHtml({ name, schema, isRequired }: Field): string {
  const isOptional = !isRequired && !String(schema['description']).startsWith('Required');
  return `<td><code>${escapeHtml(name).replace(/[._]/g, '$&<wbr>')}</code></td><td>${typeHtml(schema)}${isOptional ? ', optional' : ''}</td><td>${ruleHtml(schema)}</td>`;
}

function fieldsOf(schema: JsonSchema, prefix: string, depth: number): Field[] {
  if (depth === 0) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const own = Object.entries(objectOr(schema['properties'])).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const field = { name, schema: objectOr(value), isRequired: required.includes(key) };
    const items = objectOr(field.schema['items']);
    const below = field.schema['type'] === 'array' ? fieldsOf(items, `${name}[].`, depth - 1) : fieldsOf(field.schema, `${name}.`, depth - 1);
    return [field, ...below];
  });
  return [...own, ...variantsOf(schema).flatMap((one) => fieldsOf(one, prefix, depth - 1))];
}

function variantsOf(schema: JsonSchema): JsonSchema[] {
  return [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((list) => (Array.isArray(list) ? list.map(objectOr) : []));
}

function bounds(least: unknown, most: unknown, unit: string): string {
  const isLeast = typeof least === 'number' && least > Number.MIN_SAFE_INTEGER;
  const isMost = typeof most === 'number' && most < Number.MAX_SAFE_INTEGER;
  if (isLeast && isMost) return `${least} to ${most}${unit}`;
  if (isLeast) return `at least ${least}${unit}`;
  return isMost ? `at most ${most}${unit}` : '';
}

function valueHtml(value: unknown): string {
  return `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
}

function objectOr(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};
}
