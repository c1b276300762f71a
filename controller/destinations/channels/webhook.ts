import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { MAX_URL_LENGTH } from '../../../shared/net-guard.ts';
import type { AlertDetails } from './alert.ts';
import { alertContent, plainText, redactedTarget } from './alert-content.ts';
import { classifyStrictly, defineChannel, type Outgoing } from './channel.ts';
import { optional } from './fields.ts';
import { isReservedHeader, sentHeaders } from './webhook-headers.ts';
import { renderTemplate, webhookTemplate } from './webhook-template.ts';

const JSON_TYPE = 'application/json';

const config = z.strictObject({
  url: z.string().min(1).max(MAX_URL_LENGTH)
    .meta({ title: 'URL', description: 'Receives a signed request for each alert.' }),
  method: z.enum(['POST', 'PUT']).meta({ title: 'Method' }).default('POST'),
  // A list, because header names may contain characters that MongoDB field names may not.
  headers: sentHeaders.transform((record) => Object.entries(record).map(([name, value]) => ({ name, value })))
    .default([]),
  template: optional(webhookTemplate),
});

/** Its contract ends on any 4xx, 429 included. */
export const webhook = defineChannel({
  label: 'Webhook', help: 'Your own receiver; see the documentation for an example.', domains: [],
  config, address: 'url', concealed: { headers: 'headers' }, isPlain: true, isSigned: true, isUngrouped: true,
  shownAs: ({ url }) => redactedUrl(url),
  view: ({ headers, ...rest }) => ({
    ...rest, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  }),
  render: signedRequest,
  classify: classifyStrictly,
});

/** Posts the payload, signed with the destination's current secret. */
function signedRequest(outgoing: Outgoing<z.output<typeof config>>) {
  const { config: { url, method, headers, template }, alert, attemptId, secret, now, baseUrl } = outgoing;
  const payload = webhookPayload(alert, now, baseUrl);
  const body = template ? renderTemplate(template.body, payload) : JSON.stringify(payload);
  const custom = headers.filter(({ name }) => !isReservedHeader(name));
  return {
    url, method, body,
    headers: {
      'Content-Type': template?.content_type ?? JSON_TYPE,
      'X-Service-Event': alert.event,
      'X-Service-Delivery': attemptId,
      'X-Service-Timestamp': String(now),
      'X-Service-Signature': signatureOf(secret, now, Buffer.from(body)),
      ...Object.fromEntries(custom.map(({ name, value }) => [name, value])),
    },
  };
}

/** `X-Service-Signature`: HMAC-SHA256 with the secret over the timestamp, a period and the body. */
export function signatureOf(secret: string, timestamp: number, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/**
 * Body of a webhook, version 1. Instants are Unix ms; `timestamp` is the time of the attempt. For alerts
 * about a probe, `monitor` is null and `probe` is present. `PAYLOAD_FIELDS` names its fields for templates.
 */
export function webhookPayload(alert: AlertDetails, timestamp: number, baseUrl: string) {
  const { event, incident, probe, regions } = alert;
  const content = alertContent(alert, baseUrl);
  const { subject } = content;
  const { cause = null, diagnosis = null } = incident ?? {};
  return {
    version: '1', event, timestamp, monitor: alert.monitor && viewMonitor(alert.monitor),
    incident: incident && { ...incident, cause, diagnosis }, subject,
    message: plainText(content),
    ...(probe ? { probe: { ...probe, region: regions[0]?.id } } : {}),
  };
}

function viewMonitor(monitor: NonNullable<AlertDetails['monitor']>) {
  const { id, name, type, runbook_url = null } = monitor;
  return { id, name, url: redactedTarget(monitor), type, runbook_url };
}

/**
 * Removes the query and truncates path segments that look like keys. For many receivers the path is the
 * secret, and people without access to the destination read the log.
 */
function redactedUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname === '/' ? '' : pathname;
  return `${origin}${path.split('/').map(redactedSegment).join('/')}`;
}

function redactedSegment(segment: string): string {
  const isMixed = /\d/.test(segment) || (/[a-z]/.test(segment) && /[A-Z]/.test(segment));
  return segment.length >= 16 && isMixed ? `${segment.slice(0, 4)}…` : segment;
}
