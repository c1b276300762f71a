import type { AlertDetails } from '../delivery.ts';
import { alertContent, plainText } from './alert-content.ts';
import { shownTarget } from './text.ts';

/** Body of a webhook, version 1. Instants are Unix ms; `timestamp` is that of the attempt. */
export interface WebhookPayload {
  version: '1';
  event: AlertDetails['event'];
  timestamp: number;
  monitor: { id: string; name: string; url: string; type: string };
  incident: AlertDetails['incident'];
  subject: string;
  message: string;
}

export function webhookPayload(alert: AlertDetails, timestamp: number, baseUrl: string): WebhookPayload {
  const { event, monitor: { id, name, type }, incident } = alert;
  const content = alertContent(alert, baseUrl);
  return {
    version: '1',
    event,
    timestamp,
    monitor: { id, name, url: shownTarget(alert.monitor), type },
    incident,
    subject: content.subject,
    message: plainText(content),
  };
}
