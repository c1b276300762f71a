import { alertContent, plainText } from './alert-content.ts';
import type { AlertSnapshot } from '../delivery.ts';
import { shownTarget } from './text.ts';

/** Body of a webhook, version 1. Instants are Unix ms. */
export interface WebhookPayload {
  version: '1';
  event: AlertSnapshot['event'];
  timestamp: number;
  monitor: { id: string; name: string; url: string; type: string };
  incident: { id: string; started_at: number | null; resolved_at: number | null } | null;
  subject: string;
  message: string;
}

/** What a webhook carries. `timestamp` is that of this try, Unix ms. */
export function webhookPayload(alert: AlertSnapshot, timestamp: number, baseUrl: string): WebhookPayload {
  const { id, name, type } = alert.monitor;
  const content = alertContent(alert, baseUrl);
  return {
    version: '1',
    event: alert.event,
    timestamp,
    monitor: { id, name, url: shownTarget(alert.monitor), type },
    incident: alert.incident && { id: alert.incident.id, started_at: alert.incident.started_at, resolved_at: alert.incident.resolved_at },
    subject: content.subject,
    message: plainText(content),
  };
}
