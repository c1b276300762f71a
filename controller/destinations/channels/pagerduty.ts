import { z } from 'zod';
import { isoTime } from '../../../shared/time.ts';
import { redactedTarget } from './alert-content.ts';
import { below, defineChannel, jsonRequest, sourceUrl, type Outgoing } from './channel.ts';
import { optional, secretText, serverUrl } from './fields.ts';
import { incidentState } from './incident-state.ts';
import { fit } from './text.ts';

const MAX_SUMMARY_LENGTH = 1024;
const SEVERITIES = { critical: 'critical', major: 'error', minor: 'warning', warning: 'warning' } as const;
const ACTIONS = { open: 'trigger', once: 'trigger', acknowledged: 'acknowledge', over: 'resolve' } as const;

export const pagerduty = defineChannel({
  label: 'PagerDuty', help: 'In the service’s integrations, add “Events API v2” and copy its integration key.',
  domains: ['pagerduty.com'], address: 'base_url', tracksIncidents: true, isUngrouped: true,
  config: z.strictObject({
    routing_key: secretText({ title: 'Integration key', description: 'Of an integration of type Events API v2.' }),
    base_url: optional(serverUrl({
      title: 'Events server', description: 'Default: https://events.pagerduty.com. In the EU: https://events.eu.pagerduty.com.',
    })),
  }),
  render: (outgoing) => jsonRequest(
    below(outgoing.config.base_url ?? 'https://events.pagerduty.com', '/v2/enqueue'), eventOf(outgoing),
  ),
});

function eventOf({ config, alert, content }: Outgoing<{ routing_key: string }>) {
  const { key, kind, state, severity } = incidentState(alert);
  const action = ACTIONS[state];
  const common = { routing_key: config.routing_key, event_action: action, dedup_key: key };
  if (action !== 'trigger') return common;
  const { monitor, probe } = alert;
  const { diagnosis } = alert.incident ?? {};
  const source = sourceUrl(content);
  return {
    ...common, client: 'Farwatch', links: content.links.map(({ label, url }) => ({ href: url, text: label })),
    ...(source ? { client_url: source } : {}),
    payload: {
      summary: fit(diagnosis ? `${content.subject}. ${diagnosis.summary}` : content.subject, { max: MAX_SUMMARY_LENGTH }),
      source: monitor ? redactedTarget(monitor) : (probe?.name ?? 'Farwatch'),
      severity: SEVERITIES[alert.severity ?? severity], timestamp: isoTime(alert.at),
      component: (monitor ?? probe)?.name, class: kind,
      custom_details: Object.fromEntries(content.facts.map(({ label, text }) => [label, text])),
    },
  };
}
