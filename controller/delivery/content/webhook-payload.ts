import type { AlertDetails } from '../delivery.ts';
import { alertContent, plainText } from './alert-content.ts';
import { shownTarget } from './text.ts';

/** Body of a webhook, version 1. Instants are Unix ms; `timestamp` is that of the attempt. */
export function webhookPayload(alert: AlertDetails, timestamp: number, baseUrl: string) {
  const { event, monitor: { id, name, type }, incident } = alert;
  const content = alertContent(alert, baseUrl);
  const monitor = { id, name, url: shownTarget(alert.monitor), type };
  const { subject } = content;
  return { version: '1', event, timestamp, monitor, incident, subject, message: plainText(content) };
}
