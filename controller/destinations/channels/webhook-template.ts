import { z } from 'zod';

const MAX_BODY_LENGTH = 10_000;
const MAX_PLACEHOLDERS = 100;

/** The fields of the payload. Those that an alert does not have become empty, numbers `null`. */
const PAYLOAD_FIELDS = {
  text: [
    'version', 'event', 'subject', 'message', 'monitor.id', 'monitor.name', 'monitor.url', 'monitor.type',
    'monitor.runbook_url', 'incident.id', 'incident.acknowledge_url', 'incident.cause.id',
    'incident.cause.kind', 'incident.cause.value', 'incident.diagnosis.classification',
    'incident.diagnosis.summary', 'probe.id', 'probe.name', 'probe.region', 'probe.reason',
  ],
  number: ['timestamp', 'incident.started_at', 'incident.resolved_at', 'probe.since'],
} as const;
export const TEMPLATE_NAMES: readonly string[] = [...PAYLOAD_FIELDS.text, ...PAYLOAD_FIELDS.number];
const NUMBERS: readonly string[] = PAYLOAD_FIELDS.number;

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

const body = z.string().min(1).max(MAX_BODY_LENGTH).superRefine((text, context) => {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim());
  const report = (message: string) => context.addIssue({ code: 'custom', message, input: text });
  const unknown = names.find((name) => !TEMPLATE_NAMES.includes(name));
  if (unknown !== undefined) report(`Unknown name {{${unknown.slice(0, 100)}}}. Known names: ${TEMPLATE_NAMES.join(', ')}`);
  if (names.length > MAX_PLACEHOLDERS) report(`At most ${MAX_PLACEHOLDERS} names`);
  if (text.replace(PLACEHOLDER, '').includes('{{')) report('{{ must be followed by a name and }}');
});

/** A body of the user's own instead of the payload. */
export const webhookTemplate = z.strictObject({
  content_type: z.string().max(100)
    .regex(/^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*$/, 'Must be a media type, such as text/plain')
    .meta({ title: 'Template: content type', description: 'Default: `application/json`' }).optional(),
  body: body.meta({ title: 'Template: body', description:
    `Names in double braces are replaced by the fields of the payload, escaped for a JSON string: ${
      TEMPLATE_NAMES.map((name) => `\`{{${name}}}\``).join(', ')}`,
  }),
}).meta({ title: 'Template', description: 'Sent instead of the payload' });

export function renderTemplate(text: string, payload: object): string {
  return text.replaceAll(PLACEHOLDER, (_all, name: string) => {
    const value = valueAt(payload, name.trim().split('.'));
    if (value === undefined || value === null) return NUMBERS.includes(name.trim()) ? 'null' : '';
    return typeof value === 'number' ? String(value) : JSON.stringify(String(value)).slice(1, -1);
  });
}

function valueAt(whole: unknown, path: string[]): unknown {
  return path.reduce<unknown>((part, name) => (
    typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined
  ), whole);
}
