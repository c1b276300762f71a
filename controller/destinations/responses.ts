import { z } from 'zod';
import { managedBy } from '../access/managed.ts';
import { ALERT_EVENTS } from './destination.ts';
import { readFields } from './channels/fields.ts';
import { channelOf } from './channels/registry.ts';
import { conditionViews } from './conditions.ts';
import { byType } from './schema.ts';

const instant = z.string().meta({ format: 'date-time' });

export const health = z.object({
  status: z.enum(['unknown', 'healthy', 'failing'])
    .describe('`unknown`: nothing has been sent yet. A failing destination stays enabled'),
  failing_since: instant.nullable().describe('First failure since the last success'),
  consecutive_failures: z.int(),
  failing_recipients: z.array(z.string())
    .describe('Addresses whose latest email was not delivered. While there are any, the status is `failing`'),
  suppressed_recipients: z.array(z.string())
    .describe('Addresses whose owners stopped alert emails from this organization'),
  last_error: z.string().nullable(),
  last_delivered_at: instant.nullable(),
});

const fields = {
  id: z.string().meta({ format: 'uuid' }),
  organization_id: z.string(),
  project_id: z.string(),
  created_by: z.string(),
  managed_by: managedBy,
  name: z.string(),
  enabled: z.boolean(),
  is_default: z.boolean().describe('Used by monitors without their own destinations'),
  events: z.array(z.enum(ALERT_EVENTS)),
  ...conditionViews,
  health: health.describe('Outcome of the latest deliveries; read-only'),
  created_at: instant,
  updated_at: instant,
};

export const destinationView =
  byType(fields, (type) => z.strictObject(readFields(channelOf(type).config))).meta({ id: 'Integration' });

export const sampleResponse = z.object({
  delivered: z.boolean(),
  status_code: z.int().nullable(),
  error_message: z.string().nullable(),
  duration_ms: z.number().nullable(),
});

export const messagePreview = z.strictObject({
  event: z.string(),
  subject: z.string().nullable().describe('Of an email'),
  text: z.string().nullable().describe('What people read, with the markup of the vendor. Null if programs read the body'),
  request: z.strictObject({
    method: z.enum(['POST', 'PUT']), url: z.string(), content_type: z.string(), body: z.string(),
  }).nullable().describe('Null for an email'),
}).meta({ id: 'IntegrationPreview' });

export const deliveryView = z.strictObject({
  id: z.string(),
  event: z.string(),
  monitor_id: z.string().nullable(),
  incident_id: z.string().nullable(),
  recipient: z.string().describe('As shown in the log'),
  status: z.enum(['pending', 'delivered', 'failed', 'bounced', 'suppressed']),
  error_message: z.string().nullable(),
  retry_count: z.int(),
  max_retries: z.int(),
  delivered_at: z.iso.datetime().nullable(),
  last_retry_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
}).meta({ id: 'IntegrationDelivery' });
