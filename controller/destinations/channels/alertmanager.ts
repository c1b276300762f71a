import { z } from 'zod';
import { isoTime } from '../../../shared/time.ts';
import { redactedTarget } from './alert-content.ts';
import { below, defineChannel, jsonRequest, sourceUrl, type Outgoing } from './channel.ts';
import { serverUrl } from './fields.ts';
import { incidentState } from './incident-state.ts';

/** An alert ends on its own this long after it was last sent, whatever the server's `resolve_timeout`. */
const VALID_MS = 3_600_000;
/** Of an event without an end. */
const ONCE_VALID_MS = 86_400_000;

export const alertmanager = defineChannel({
  label: 'Alertmanager', help: 'Sends alerts to a Prometheus Alertmanager, which groups, silences and routes them.',
  domains: [], address: 'base_url', isPlain: true, tracksIncidents: true, isUngrouped: true, isRepeated: true,
  config: z.strictObject({
    base_url: serverUrl({ title: 'Server', description: 'URL of the Alertmanager, such as http://alertmanager:9093.' }),
  }),
  render: (outgoing) => jsonRequest(below(outgoing.config.base_url, '/api/v2/alerts'), [alertOf(outgoing)]),
});

function alertOf({ alert, content, now }: Outgoing<unknown>) {
  const { key, kind, state, severity } = incidentState(alert);
  const { monitor, probe, incident, at } = alert;
  const source = sourceUrl(content);
  const labels = {
    alertname: `Farwatch_${kind}`, incident_id: key, severity,
    ...(monitor ? {
      monitor_id: monitor.id, monitor: monitor.name, instance: redactedTarget(monitor), type: monitor.type,
    } : {}),
    ...(probe ? { probe_id: probe.id, probe: probe.name } : {}),
  };
  const startsAt = Math.min(incident?.started_at ?? probe?.since ?? at, now);
  const endsAt = state === 'over'
    ? Math.min(incident?.resolved_at ?? at, now) : now + (state === 'once' ? ONCE_VALID_MS : VALID_MS);
  return {
    labels, startsAt: isoTime(startsAt), endsAt: isoTime(Math.max(endsAt, startsAt)),
    annotations: {
      summary: content.subject,
      description: [content.headline, ...content.facts.map(({ label, text }) => `${label}: ${text}`)].join('\n'),
    },
    ...(source ? { generatorURL: source } : {}),
  };
}
