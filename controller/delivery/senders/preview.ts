import { newId } from '../../../shared/ids.ts';
import { MASK } from '../../destinations/channels/fields.ts';
import type { AlertDetails } from '../../destinations/channels/alert.ts';
import { alertContent } from '../../destinations/channels/alert-content.ts';
import type { ChannelRequest } from '../../destinations/channels/channel.ts';
import { recipientsIn, requestChannel, type DestinationSettings } from '../../destinations/channels/registry.ts';
import type { MessagePreview } from '../../destinations/ports.ts';
import { alertMail, mailedContent } from '../content/alert-mail.ts';

const OUTAGE_MS = 252_000;
const ID = '00000000-0000-4000-8000-000000000000';

/** What these settings would send for an outage and for its recovery. */
export function previewMessages(
  settings: DestinationSettings, baseUrl: string, now: number,
): MessagePreview[] {
  const outage = sampleOutage(baseUrl, now);
  const incident = { id: ID, started_at: outage.at, resolved_at: now };
  const recovery: AlertDetails = { ...outage, event: 'monitor.up', incident, error: null, at: now };
  return [messageOf(settings, outage, baseUrl, now), messageOf(settings, recovery, baseUrl, now)];
}

function messageOf(
  settings: DestinationSettings, alert: AlertDetails, baseUrl: string, now: number,
): MessagePreview {
  const { event } = alert;
  const recipient = recipientsIn(settings)?.[0] ?? '';
  if (settings.type === 'email') {
    const frame = { to: recipient, thread: ID, stopLink: `${baseUrl}/stop-alerts?token=${MASK}` };
    const { subject, text } = alertMail(frame, mailedContent(alert, baseUrl));
    return { event, subject, text, request: null };
  }
  const { render, texts = [] } = requestChannel(settings.type);
  const request = render({
    config: settings.config, alert, content: alertContent(alert, baseUrl), baseUrl, recipient,
    deliveryId: newId(now), attemptId: newId(now), secret: '', now,
  });
  const { url, method = 'POST', body } = request;
  const shown = texts.flatMap((path) => textsAt(fieldsOf(request), path.split('.')));
  return {
    event, subject: null, text: texts.length === 0 ? null : shown.join('\n'),
    request: { method, url, content_type: contentTypeOf(request), body },
  };
}

function contentTypeOf({ headers }: ChannelRequest): string {
  return headers['Content-Type'] ?? '';
}

function fieldsOf(request: ChannelRequest): unknown {
  const isForm = contentTypeOf(request) === 'application/x-www-form-urlencoded';
  return isForm ? Object.fromEntries(new URLSearchParams(request.body)) : JSON.parse(request.body);
}

/** `*` in a path stands for each item of a list. */
function textsAt(value: unknown, [name, ...path]: string[]): string[] {
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  if (name === '*') return Array.isArray(value) ? value.flatMap((item) => textsAt(item, path)) : [];
  return textsAt((value as Record<string, unknown> | undefined)?.[name], path);
}

/** Two of three regions report an outage, which was detected a few minutes ago. */
function sampleOutage(baseUrl: string, now: number): AlertDetails {
  const [dublin, dallas, osaka] = [['eu', 'Dublin'], ['us', 'Dallas'], ['ap', 'Osaka']]
    .map(([id = '', name = '']) => ({ id, name, city: null })) as [Region, Region, Region];
  const at = now - OUTAGE_MS;
  return {
    id: ID, event: 'monitor.down', monitor: { id: ID, name: 'Shop', target: 'https://shop.example/', type: 'HTTP' },
    incident: { id: ID, started_at: at, resolved_at: null, acknowledge_url: `${baseUrl}/acknowledge?token=${MASK}` },
    error: { type: 'status_code', message: 'Expected 200, got 503' }, severity: 'major', regions: [dublin, dallas],
    votes: { down: [dublin, dallas], up: [osaka], rechecking: [], silent: [] },
    last_success: { at: at - 60_000, response_time_ms: 241 }, at,
  };
}

type Region = AlertDetails['regions'][number];
