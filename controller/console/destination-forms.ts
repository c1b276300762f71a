import { z } from 'zod';
import { isOptional, secretKind, sentFields } from '../destinations/channels/fields.ts';
import { channelOf, DESTINATION_TYPES, type DestinationType } from '../destinations/channels/registry.ts';
import type { DestinationFormRules, FormField } from './app/destinations/form-field.ts';

interface Schema {
  type?: string;
  title?: string;
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  'x-secret'?: string;
}

const HEADERS_HELP = 'One per line, as “Name: value”. ';
/** A longer text gets a field of several lines. */
const MAX_LINE_LENGTH = 4096;

/** The forms of all types of destinations, from their schemas, for the build of the console. */
export function destinationForms(): Record<DestinationType, DestinationFormRules> {
  return Object.fromEntries(DESTINATION_TYPES.map((type) => {
    const { label, help, config } = channelOf(type);
    const fields = Object.entries(sentFields(config)).flatMap(([name, field]) => {
      const schema = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as Schema;
      const isDefaulted = config.shape[name] instanceof z.ZodDefault;
      const found = fieldsOf(name, schema, !isOptional(field) && !isDefaulted);
      const address = name === channelOf(type).address || name === 'base_url' || secretKind(field) === 'path';
      return address ? found.map((one) => ({ ...one, kind: 'url' as const })) : found;
    });
    return [type, { label, help, fields }];
  })) as Record<DestinationType, DestinationFormRules>;
}

/** The fields of a nested object have a path, such as `template.body`. */
function fieldsOf(name: string, whole: Schema, isRequired: boolean): FormField[] {
  const schema = { ...whole.anyOf?.find(({ type }) => type !== 'null'), ...whole };
  const { properties, title, description, minimum, maximum, maxLength } = schema;
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([inner, one]) => fieldsOf(`${name}.${inner}`, one, false));
  }
  const limits = Object.entries({ minimum, maximum, maxLength }).filter(([, limit]) => limit !== undefined);
  const options = schema.enum === undefined ? {} : { options: schema.enum, default: schema.enum[0] ?? '' };
  const kind = kindOf(schema);
  const help = `${kind === 'headers' ? HEADERS_HELP : ''}${(description ?? '').replaceAll('`', '')}`;
  const own = { name, label: title ?? name, help, isRequired, kind };
  return [{ ...own, ...Object.fromEntries(limits), ...options }];
}

function kindOf(schema: Schema): FormField['kind'] {
  if (schema.enum !== undefined) return 'select';
  if (schema['x-secret'] === 'value') return 'secret';
  if (schema.type === 'array') return 'list';
  if (schema.type === 'object') return 'headers';
  const isNumber = schema.type === 'integer' && schema.anyOf?.some(({ type }) => type === 'string') !== true;
  if (isNumber) return 'number';
  return (schema.maxLength ?? 0) > MAX_LINE_LENGTH ? 'area' : 'text';
}
