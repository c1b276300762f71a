import { z } from 'zod';
import { MAX_URL_LENGTH } from '../../shared/net-guard.ts';
import { queryInt, readOnlyFields, validate, singleLineText } from '../http/input/validation.ts';
import { ALERT_EVENTS, DEFAULT_EVENTS, DESTINATION_TYPES, type DestinationSettings } from './destination.ts';
import { ADDRESS, addressProblem, MAX_ADDRESS_LENGTH, withoutDuplicates } from './email-rules.ts';
import { HEADER_NAMES, headerValue } from '../monitors/settings/header-rules.ts';
import { headerProblem, MAX_HEADER_VALUE_LENGTH } from './webhook-rules.ts';

const MAX_HEADERS = 50;
const MAX_RECIPIENTS = 20;
/** Longer strings are rejected before they are parsed as addresses. */
const MAX_RECIPIENT_LENGTH = 320;

export const deliveriesQuery = z.strictObject({ limit: queryInt({ min: 1, max: 100, fallback: 50 }) });

const name = singleLineText(100);

const events = z.array(z.enum(ALERT_EVENTS)).min(1, 'At least one event must stay enabled').max(100)
  .transform((all) => ALERT_EVENTS.filter((event) => all.includes(event)));

const anyHeaders = z.record(z.string(), headerValue(MAX_HEADER_VALUE_LENGTH));
const sentHeaders = anyHeaders.superRefine((record, context) => {
  const all = Object.entries(record);
  const report = (message: string, ...path: string[]) => {
    context.addIssue({ code: 'custom', path, message });
  };
  if (all.length > MAX_HEADERS) report(`At most ${MAX_HEADERS} headers`);
  const seen = new Set<string>();
  for (const [header, value] of all.slice(0, MAX_HEADERS)) {
    const isRepeated = seen.has(header.toLowerCase());
    seen.add(header.toLowerCase());
    const message = isRepeated ? 'Header is listed twice' : headerProblem(header, value);
    if (message !== null) report(message, header.slice(0, 100));
  }
}).meta(HEADER_NAMES).describe(
  `Up to ${MAX_HEADERS}: names of up to 100 characters, values of up to 1,000. `
  + '`Content-Type`, `User-Agent` and `X-Service-*` are accepted but overwritten',
);

const headers = sentHeaders.transform((record) =>
  Object.entries(record).map(([header, value]) => ({ name: header, value })));

const recipient = z.string().max(MAX_RECIPIENT_LENGTH).superRefine((address, context) => {
  const message = addressProblem(address);
  if (message !== null) context.addIssue({ code: 'custom', message, input: address });
}).meta({ maxLength: MAX_ADDRESS_LENGTH, pattern: `^${ADDRESS}$` });
const sentRecipients = z.array(recipient).min(1, 'Add at least one recipient')
  .max(MAX_RECIPIENTS, `At most ${MAX_RECIPIENTS} recipients`);
const recipients = sentRecipients.transform(withoutDuplicates);

const url = z.string().min(1).max(MAX_URL_LENGTH);
const method = z.enum(['POST', 'PUT']);
const webhook = z.strictObject({ url, method: method.default('POST'), headers: headers.default([]) });
const email = z.strictObject({ to: recipients });
const slack = z.strictObject({
  webhook_url: url.describe('Incoming webhook of a Slack workspace; keep it secret'),
});

/** `config` of a change, by type. Has no defaults, because they would overwrite stored values. */
const configChange = {
  webhook: z.strictObject({ url: url.optional(), method: method.optional(), headers: headers.optional() }),
  email: email.partial(),
  slack: slack.partial(),
};

/** Fields of all types. The stored type decides which of them apply. */
const sentConfig = z.strictObject({
  url, method, headers: sentHeaders, to: sentRecipients, webhook_url: url,
}).partial();

const readOnly = readOnlyFields(
  'id', 'organization_id', 'project_id', 'created_by', 'created_at', 'updated_at', 'health',
);

const common = {
  name,
  enabled: z.boolean().default(true),
  is_default: z.boolean().describe('Used by monitors without their own destinations')
    .default(false),
  events: events.default(DEFAULT_EVENTS),
  ...readOnly,
};

export const destinationInput = z.discriminatedUnion('type', [
  z.strictObject({ ...common, type: z.literal('webhook'), config: webhook }),
  z.strictObject({ ...common, type: z.literal('email'), config: email }),
  z.strictObject({ ...common, type: z.literal('slack'), config: slack }),
]);
export type DestinationInput = z.output<typeof destinationInput>;

export const destinationChangeInput = z.strictObject({
  name: name.optional(),
  type: z.enum(DESTINATION_TYPES).describe('Cannot be changed after creation').optional(),
  enabled: z.boolean().optional(),
  is_default: z.boolean().optional(),
  events: events.optional(),
  config: sentConfig.describe('The fields to change, by the destination\'s type').optional(),
  ...readOnly,
});
export type DestinationChangeInput = z.output<typeof destinationChangeInput>;

/** Merges `change` into the settings. Throws VALIDATION_ERROR for a field that the type does not have. */
export function changedSettings({ type, config }: DestinationSettings, change: object): DestinationSettings {
  const read = validate(z.object({ config: configChange[type] }), { config: change }) as { config: object };
  // The compiler cannot see that both configs have this type.
  return { type, config: { ...config, ...read.config } } as DestinationSettings;
}
