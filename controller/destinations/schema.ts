import { z } from 'zod';
import { parsedUrl } from '../../shared/net-guard.ts';
import {
  check, queryInt, readOnlyFields, singleLineText, validate, validationError,
} from '../http/input/validation.ts';
import { ALERT_EVENTS, DEFAULT_EVENTS } from './destination.ts';
import { MASK, secretKind, sentFields } from './channels/fields.ts';
import { keptSecrets, secretsOf, unmasked } from './channels/masks.ts';
import { addressOf, channelOf, DESTINATION_TYPES, type DestinationSettings } from './channels/registry.ts';
import { conditionInputs, namedFilter } from './conditions.ts';

export const deliveriesQuery = z.strictObject({ limit: queryInt({ min: 1, max: 100, fallback: 50 }) });

const name = singleLineText(100);

const events = z.array(z.enum(ALERT_EVENTS)).min(1, 'At least one event must stay enabled').max(100)
  .transform((all) => ALERT_EVENTS.filter((event) => all.includes(event)));

const readOnly = readOnlyFields(
  'id', 'organization_id', 'project_id', 'created_by', 'created_at', 'updated_at', 'health', 'managed_by',
);

const common = {
  name,
  enabled: z.boolean().default(true),
  is_default: z.boolean().describe('Used by monitors without their own destinations')
    .default(false),
  events: events.default(DEFAULT_EVENTS),
  ...conditionInputs,
  ...readOnly,
};

/** One option for each type, with the config of that type. */
export function byType<Fields extends z.ZodRawShape>(
  fields: Fields, configOf: (type: DestinationSettings['type']) => z.ZodType,
) {
  const [first, ...others] = DESTINATION_TYPES.map((type) => (
    z.strictObject({ ...fields, type: z.literal(type), config: configOf(type) })
  ));
  return z.discriminatedUnion('type', [first as NonNullable<typeof first>, ...others]);
}

type CommonInput = z.output<z.ZodObject<typeof common>>;
export type DestinationInput = CommonInput & DestinationSettings;
/** The compiler cannot see that each type has its own config. */
export const destinationInput =
  byType(common, (type) => channelOf(type).config) as unknown as z.ZodType<DestinationInput>;

/** Fields of all types. The stored type decides which of them apply, and how. */
const sentConfig = z.strictObject(Object.fromEntries(fieldsOfAllTypes())).partial();

function fieldsOfAllTypes(): Map<string, z.ZodType> {
  const options = new Map<string, z.ZodType[]>();
  for (const type of DESTINATION_TYPES) {
    for (const [field, schema] of Object.entries(sentFields(channelOf(type).config))) {
      const mask = secretKind(schema) === 'value' ? [z.literal(MASK)] : [];
      options.set(field, [...(options.get(field) ?? []), schema, ...mask]);
    }
  }
  return new Map([...options].map(([field, schemas]) => [field, anyOf(schemas)]));
}

/** Like a union, but a value that fits no option gets the messages of the first. */
function anyOf(options: z.ZodType[]): z.ZodType {
  const [first] = options;
  if (first !== undefined && options.length === 1) return first;
  const schemas = options.map((one) => {
    const { $schema: _version, ...schema } = z.toJSONSchema(one, { io: 'input', unrepresentable: 'any' });
    return schema;
  });
  return z.unknown().superRefine((value, context) => {
    const all = options.map((one) => check(one, value).issues);
    if (all.some((issues) => issues.length === 0)) return;
    for (const { path, message } of all[0] ?? []) {
      context.addIssue({ code: 'custom', path, message, input: value });
    }
  }).meta({ anyOf: schemas });
}

export const destinationChangeInput = z.strictObject({
  name: name.optional(),
  type: z.enum(DESTINATION_TYPES).describe('Cannot be changed after creation').optional(),
  enabled: z.boolean().optional(),
  is_default: z.boolean().optional(),
  events: events.optional(),
  ...conditionInputs,
  config: sentConfig.describe('The fields to change, by the destination\'s type').optional(),
  ...readOnly,
});
export type DestinationChangeInput = z.output<typeof destinationChangeInput>;

/** In an imported document. */
export const integrationItem = z.strictObject({
  name,
  type: z.enum(DESTINATION_TYPES).describe('Cannot be changed after creation'),
  enabled: z.boolean().optional(),
  is_default: z.boolean().optional().describe('Used by monitors without their own destinations'),
  events: events.optional(),
  ...conditionInputs,
  filter: namedFilter.nullable().optional(),
  config: sentConfig.describe('By type; `***` keeps a stored secret').default({}),
});
export type IntegrationItem = z.output<typeof integrationItem>;

export const previewInput = z.strictObject({
  type: z.enum(DESTINATION_TYPES),
  config: sentConfig.describe('By type. Required fields may be absent'),
});
export type PreviewInput = z.output<typeof previewInput>;

/** Throws VALIDATION_ERROR for a mask in a new config: there is no stored value yet. */
export function checkNewSecrets({ type, config }: DestinationSettings): void {
  unmasked(secretsOf(channelOf(type)), config, null);
}

/** The settings of an imported new destination. Throws VALIDATION_ERROR for what the type does not accept. */
export function newSettings({ type, config }: Pick<IntegrationItem, 'type' | 'config'>): DestinationSettings {
  const channel = channelOf(type);
  const sent = { config: unmasked(secretsOf(channel, true), config, null) };
  return settingsOf(type, validate(z.object({ config: channel.config }), sent));
}

// The compiler cannot see that the config is of this type.
function settingsOf(type: DestinationSettings['type'], read: unknown): DestinationSettings {
  return { type, config: withoutNulls((read as { config: object }).config) } as DestinationSettings;
}

/**
 * Merges `change` into the settings: null removes an optional field, and a masked secret keeps the stored
 * value; with `isExport`, also what only exports mask. Throws VALIDATION_ERROR for what the type does not
 * accept, and for a stored secret that would go to a new address.
 */
export function changedSettings(
  stored: DestinationSettings, change: object, isExport = false,
): DestinationSettings {
  const channel = channelOf(stored.type);
  const secrets = secretsOf(channel, isExport);
  const before = channel.view?.(stored.config) ?? stored.config;
  const config = { ...before, ...unmasked(secrets, change, before) };
  const changed = settingsOf(stored.type, validate(z.object({ config: channel.config }), { config }));
  const kept = originOf(changed) === originOf(stored) ? [] : keptSecrets(secrets, change, before);
  if (kept.length > 0) {
    const message = 'Enter this again, because the address has changed';
    throw validationError(kept.map((name) => ({ code: 'custom', path: ['config', name], message })));
  }
  return changed;
}

/** Null for the vendor's own address and one that is none. */
function originOf(settings: DestinationSettings): string | null {
  return parsedUrl(addressOf(settings)?.url ?? '')?.origin ?? null;
}

/** Optional fields that a client sent as null are absent. */
export function withoutNulls(config: object): object {
  const given = Object.entries(config).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given);
}
