import { z } from 'zod';

const id = z.string().meta({ format: 'uuid' });
const instant = z.int().describe('Unix ms.');

const alerts = z.array(z.strictObject({
  at: z.int().describe('When it would have been sent, Unix ms.'),
  monitor_id: id.describe('About a cause: the monitor whose outage was alerted first.'),
  cause_id: id.nullable(),
  kind: z.enum(['down', 'up', 'reminder']),
}));

export const rehearsalResponse = z.strictObject({
  alerts: alerts.describe('With the settings of the request, in order.'),
  actual: alerts.describe('With the settings of today, without those of an integration.'),
  missed: z.array(z.strictObject({
    monitor_id: id, from: instant, to: instant.describe('Unix ms; the end of the time range if it was ongoing then.'),
  })).describe('Outages in `actual` that `alerts` never tells of.'),
}).meta({ id: 'Rehearsal' });
