import { z } from 'zod';
import { conditionInputs } from '../destinations/conditions.ts';
import { uuidParam } from '../http/input/validation.ts';
import { confirmationPolicy, replayInstant } from '../monitors/schema.ts';

/** Maximum monitors of a rehearsal, including their dependencies. */
export const MAX_MONITORS = 100;
export const MAX_DAYS = 90;

const { filter, hours, delay_minutes, reminder_minutes, grouping } = conditionInputs;

export const rehearsalInput = z.strictObject({
  from: replayInstant.describe(`Start of the time range to replay: Unix ms or ISO 8601, at most ${MAX_DAYS} days before \`to\`.`),
  to: replayInstant.optional().describe('Default: now.'),
  monitor_ids: z.array(uuidParam).min(1, 'Omit the list instead of sending an empty one').max(MAX_MONITORS).optional()
    .describe('Default: all monitors of the project.'),
  confirmation_policy: confirmationPolicy.optional().describe('Omitted fields keep the values of each monitor.'),
  depends_on: z.boolean().optional()
    .describe('`false`: outages of dependencies do not hold alerts. Default: `true`.'),
  grouping: grouping.describe('`auto`: one alert for outages with a common cause. Default: `off`.'),
  destination: z.strictObject({ filter, hours, delay_minutes, reminder_minutes }).optional()
    .describe('Settings of the integration that would receive the alerts. Default: none.'),
});
export type RehearsalInput = z.output<typeof rehearsalInput>;
