import { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import { ALERT_EVENTS, type DestinationDoc, type Way } from './destination.ts';
import type { DestinationHealth } from './ports.ts';

const instant = z.string().meta({ format: 'date-time' });

const fields = {
  id: z.string().meta({ format: 'uuid' }),
  organization_id: z.string(),
  project_id: z.string(),
  created_by: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  is_default: z.boolean().describe('Receives the alerts of monitors that name no destinations'),
  events: z.array(z.enum(ALERT_EVENTS)),
  health: z
    .object({
      status: z.enum(['unknown', 'healthy', 'failing']).describe('`unknown`: nothing was sent yet. A failing destination stays enabled'),
      failing_since: instant.nullable().describe('First failure since the last success'),
      consecutive_failures: z.int(),
      failing_recipients: z.array(z.string()).describe('Mail addresses whose latest mail did not arrive; while there is one, the status is `failing`'),
      last_error: z.string().nullable(),
      last_delivered_at: instant.nullable(),
    })
    .describe('Outcome of the latest deliveries; read-only'),
  created_at: instant,
  updated_at: instant,
};

const webhook = z.strictObject({ url: z.string(), method: z.enum(['POST', 'PUT']), headers: z.record(z.string(), z.string()) });

export const destinationView = z
  .discriminatedUnion('type', [
    z.strictObject({ ...fields, type: z.literal('webhook'), config: webhook }),
    z.strictObject({ ...fields, type: z.literal('email'), config: z.strictObject({ to: z.array(z.string()) }) }),
    z.strictObject({ ...fields, type: z.literal('slack'), config: z.strictObject({ webhook_url: z.string() }) }),
  ])
  .meta({ id: 'Integration' });

const UNUSED: DestinationHealth = Object.freeze({
  status: 'unknown', failing_since: null, consecutive_failures: 0, failing_recipients: [], last_error: null, last_delivered_at: null,
});

/** A destination as the API shows it, never with its secret. */
export function showDestination(doc: DestinationDoc, health: DestinationHealth = UNUSED): z.input<typeof destinationView> {
  const { _id, organization_id, project_id, created_by, name, enabled, is_default, events, created_at, updated_at } = doc;
  return {
    id: _id, organization_id, project_id, created_by, name, enabled, is_default, events,
    ...shownWay(doc),
    health: { ...health, failing_since: isoTime(health.failing_since), last_delivered_at: isoTime(health.last_delivered_at) },
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}

/** Only project admins read destinations, so a Slack address is shown whole: what is read can be put back. */
function shownWay(way: Way) {
  switch (way.type) {
    case 'webhook': {
      const { url, method, headers } = way.config;
      return { type: way.type, config: { url, method, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) } };
    }
    case 'email': return { type: way.type, config: { to: way.config.to } };
    case 'slack': return { type: way.type, config: { webhook_url: way.config.webhook_url } };
  }
}
