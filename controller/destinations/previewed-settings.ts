import { z } from 'zod';
import { parsedUrl } from '../../shared/net-guard.ts';
import { validate } from '../http/input/validation.ts';
import { isOptional, MASK, secretKind, sentFields } from './channels/fields.ts';
import { channelOf, type DestinationSettings } from './channels/registry.ts';
import { withoutNulls, type PreviewInput } from './schema.ts';

const UNKNOWN_URL = 'https://example.com';
const UNKNOWN_TEXT = '…';

/**
 * The settings of an unfinished form: secrets are masked, and placeholders replace required fields that are
 * absent. Throws VALIDATION_ERROR for what the type does not accept.
 */
export function previewedSettings({ type, config }: PreviewInput): DestinationSettings {
  const { config: schema, address } = channelOf(type) as { config: z.ZodObject; address?: string };
  const given = withoutNulls(config) as Record<string, unknown>;
  const fields = Object.entries(sentFields(schema));
  const secrets = fields.filter(([, field]) => secretKind(field) !== null);
  const isReadable = ([name]: [string, unknown]) => !secrets.some(([secret]) => secret === name);
  const withoutSecrets = <T extends object>(all: T): T => (
    Object.fromEntries(Object.entries(all).filter(isReadable)) as T
  );
  const readable = z.strictObject(withoutSecrets(schema.shape)).partial();
  const sent = { config: withoutSecrets(given) };
  const read = validate(z.object({ config: readable }), sent) as { config: object };
  const masked = secrets
    .filter(([name, field]) => given[name] !== undefined || !isOptional(field))
    .map(([name, field]) => [name, maskOf(field, given[name])]);
  const placeholders = fields.filter(([, field]) => !isOptional(field)).map(([name, field]) => {
    const text = name === address ? UNKNOWN_URL : UNKNOWN_TEXT;
    return [name, field instanceof z.ZodArray ? [text] : text];
  });
  // The compiler cannot see that type and config match.
  return {
    type, config: Object.fromEntries([...placeholders, ...Object.entries(read.config), ...masked]),
  } as DestinationSettings;
}

function maskOf(field: z.ZodType, value: unknown): unknown {
  switch (secretKind(field)) {
    case 'path': return `${parsedUrl(String(value))?.origin ?? UNKNOWN_URL}/${MASK}`;
    case 'items': return (value as unknown[] | undefined ?? ['']).map(() => MASK);
    default: return MASK;
  }
}
