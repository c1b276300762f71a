import type { AlertDetails } from '../delivery.ts';
import { alertContent, plainText } from './alert-content.ts';
import { redactedTarget } from './text.ts';

/**
 * Body of a webhook, version 1. Instants are Unix ms; `timestamp` is the time of the attempt. For alerts
 * about a probe, `monitor` is null and `probe` is present.
 */
export function webhookPayload(alert: AlertDetails, timestamp: number, baseUrl: string) {
  const { event, incident, probe, regions } = alert;
  const content = alertContent(alert, baseUrl);
  const { subject } = content;
  return {
    version: '1', event, timestamp, monitor: alert.monitor && viewMonitor(alert.monitor), incident, subject,
    message: plainText(content),
    ...(probe ? { probe: { ...probe, region: regions[0]?.id } } : {}),
  };
}

function viewMonitor(monitor: NonNullable<AlertDetails['monitor']>) {
  const { id, name, type } = monitor;
  return { id, name, url: redactedTarget(monitor), type };
}
