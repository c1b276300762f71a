import { z } from 'zod';

const id = z.string().meta({ format: 'uuid' });
const instant = z.int().describe('Unix ms.');

const alerts = z.array(z.strictObject({
  at: z.int().describe('When the alert would have been sent, Unix ms.'),
  monitor_id: id.describe('For a common cause: the monitor of its first alert.'),
  cause_id: id.nullable(),
  kind: z.enum(['down', 'up', 'reminder']),
}));

export const rehearsalResponse = z.strictObject({
  alerts: alerts.describe('With the settings of the request, in order.'),
  actual: alerts.describe('With the current settings, but without those of an integration.'),
  missed: z.array(z.strictObject({
    monitor_id: id, from: instant, to: instant.describe('Unix ms. The end of the time range if it was still ongoing.'),
  })).describe('Outages with an alert in `actual` and none in `alerts`.'),
}).meta({ id: 'Rehearsal' });
