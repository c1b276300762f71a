import { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import { ALERT_EVENTS, DESTINATION_TYPES, type DestinationDoc } from './destination.ts';
import type { DestinationHealth } from './ports.ts';

const instant = z.string().meta({ format: 'date-time' });

export const destinationView = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    organization_id: z.string(),
    project_id: z.string(),
    created_by: z.string(),
    name: z.string(),
    type: z.enum(DESTINATION_TYPES),
    enabled: z.boolean(),
    is_default: z.boolean().describe('Told by monitors that name no destinations'),
    events: z.array(z.enum(ALERT_EVENTS)),
    config: z.object({ url: z.string(), method: z.enum(['POST', 'PUT']), headers: z.record(z.string(), z.string()) }),
    health: z
      .object({
        status: z.enum(['unknown', 'healthy', 'failing']).describe('`unknown`: nothing has been sent yet. A failing destination stays enabled'),
        failing_since: instant.nullable().describe('First failure since the last success'),
        consecutive_failures: z.int(),
        last_error: z.string().nullable(),
        last_delivered_at: instant.nullable(),
      })
      .describe('How deliveries have fared lately; read-only'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Integration' });

const UNUSED: DestinationHealth = Object.freeze({
  status: 'unknown', failing_since: null, consecutive_failures: 0, last_error: null, last_delivered_at: null,
});

/** A destination as the API shows it, never with its secret. */
export function showDestination(doc: DestinationDoc, health: DestinationHealth = UNUSED): z.input<typeof destinationView> {
  const { _id, webhook, secret: _secret, revision: _revision, created_at, updated_at, ...rest } = doc;
  return {
    id: _id,
    ...rest,
    config: { url: webhook.url, method: webhook.method, headers: Object.fromEntries(webhook.headers.map(({ name, value }) => [name, value])) },
    health: { ...health, failing_since: isoTime(health.failing_since), last_delivered_at: isoTime(health.last_delivered_at) },
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}
