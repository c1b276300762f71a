import { escapeHtml, html, Html } from '../../pages/html.ts';
import type { Json } from './openapi.ts';

interface Field {
  name: string;
  schema: Json;
  isRequired: boolean;
}

const DEEPEST = 6;

/** A table of an object's fields, nested ones by dotted names; one line for anything but an object. */
export function fieldsHtml(schema: Json): Html {
  const fields = fieldsOf(schema, '', DEEPEST);
  if (fields.length === 0) return html`<p>${typeHtml(schema)}</p>`;
  const isIgnored = (field: Field) => Object.keys(field.schema).length === 0;
  const ignored = fields.filter(isIgnored).map(({ name }) => html`<code>${name}</code>`);
  const rows = fields.filter((field) => !isIgnored(field)).map(cellsOf);
  const table = tableHtml(['Field', 'Type', 'Rule'], rows);
  if (ignored.length === 0) return table;
  return html`${table}
<p>Accepted and ignored, so that the result of a read can be sent back: ${join(ignored, ', ')}.</p>`;
}

/** Each row is a list of its cells. */
export function tableHtml(names: string[], rows: Html[][]): Html {
  const head = names.map((name) => html`<th scope="col">${name}</th>`);
  const body = rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`);
  return html`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

/** Text in which backticks mark code. */
export function proseHtml(text: string): Html {
  return new Html(escapeHtml(text).replace(/&#96;((?:(?!&#96;).)+)&#96;/g, '<code>$1</code>'));
}

/** The type of a value, with a link if it is a resource. */
export function typeHtml(schema: Json): Html {
  const ref = /^#\/components\/schemas\/(\w+)$/.exec(String(schema['$ref']))?.[1];
  if (ref !== undefined) return html`<a href="#schema-${ref}">${ref}</a>`;
  if ('const' in schema) return valueHtml(schema['const']);
  if (Array.isArray(schema['enum'])) return join(schema['enum'].map(valueHtml), ', ');
  const choices = new Set(variantsOf(schema).map((one) => typeHtml(one).text));
  if (choices.size > 0) return new Html([...choices].join(' or '));
  const { type = 'anything', format, properties } = schema;
  if (type === 'array') return html`array of ${typeHtml(objectOr(schema['items']))}`;
  const values = objectOr(schema['additionalProperties']);
  if (type === 'object' && properties === undefined && Object.keys(values).length > 0) {
    return html`object of ${typeHtml(values)}`;
  }
  const types = Array.isArray(type) ? type.join(' or ') : String(type);
  return html`${types}${typeof format === 'string' ? ` (${format})` : ''}`;
}

/** Description, bounds, pattern and default of a value. */
export function ruleHtml(schema: Json): Html {
  const inner = variantsOf(schema).find((one) => one['type'] !== 'null') ?? {};
  const all: Json = { ...inner, ...schema };
  const { description, format, type, pattern, default: fallback } = all;
  const rules = [
    ...bounds(all['minimum'], all['maximum'], ''),
    ...bounds(all['minLength'], all['maxLength'], ' characters'),
    ...bounds(all['minItems'], all['maxItems'], ' items'),
  ].map((rule) => html`${rule}`);
  if (typeof pattern === 'string' && format === undefined && type !== 'integer') {
    rules.push(html`matches <code>${pattern}</code>`);
  }
  if (fallback !== undefined) rules.push(html`default ${valueHtml(fallback)}`);
  const prose = typeof description === 'string' && description !== '' ? [proseHtml(description)] : [];
  return join([...prose, ...(rules.length > 0 ? [join(rules, '; ')] : [])], '<br>');
}

function cellsOf({ name, schema, isRequired }: Field): Html[] {
  const isOptional = !isRequired && !String(schema['description']).startsWith('Required');
  // A long name may wrap after its dots and underscores.
  const breakable = new Html(escapeHtml(name).replace(/[._]/g, '$&<wbr>'));
  const type = html`${typeHtml(schema)}${isOptional ? ', optional' : ''}`;
  return [html`<code>${breakable}</code>`, type, ruleHtml(schema)];
}

function fieldsOf(schema: Json, prefix: string, depth: number): Field[] {
  if (depth === 0) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const own = Object.entries(objectOr(schema['properties'])).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const field = { name, schema: objectOr(value), isRequired: required.includes(key) };
    const isArray = field.schema['type'] === 'array';
    const inner = isArray ? objectOr(field.schema['items']) : field.schema;
    return [field, ...fieldsOf(inner, `${name}${isArray ? '[]' : ''}.`, depth - 1)];
  });
  return [...own, ...variantsOf(schema).flatMap((one) => fieldsOf(one, prefix, depth - 1))];
}

function variantsOf({ anyOf, oneOf, allOf }: Json): Json[] {
  return [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list.map(objectOr) : []));
}

/** A value's bounds in words; none if zod added them only because the value is an integer. */
function bounds(min: unknown, max: unknown, unit: string): string[] {
  const hasMin = typeof min === 'number' && min > Number.MIN_SAFE_INTEGER;
  const hasMax = typeof max === 'number' && max < Number.MAX_SAFE_INTEGER;
  if (hasMin && hasMax) return [`${min} to ${max}${unit}`];
  if (hasMin) return [`at least ${min}${unit}`];
  return hasMax ? [`at most ${max}${unit}`] : [];
}

function valueHtml(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function join(parts: Html[], separator: string): Html {
  return new Html(parts.map((part) => part.text).join(separator));
}

function objectOr(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
