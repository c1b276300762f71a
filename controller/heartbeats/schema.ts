import { z } from 'zod';
import { queryInt, uuidParam } from '../http/input/validation.ts';
import { MAX_RECORDS } from './ping-record.ts';

const token = z.string().describe('The `heartbeat_token` of the monitor; it is the only credential.');
const code = z.string().regex(/^(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])$/, 'Must be an exit code from 0 to 255')
  .transform(Number);

export const projectParams = z.strictObject({ projectId: uuidParam });
export const tokenParams = z.strictObject({ token });
export const nameParams = z.strictObject({
  ping_key: z.string().describe('The ping key of the project; it is the only credential.'),
  slug: z.string().describe('The `slug` of the monitor.'),
});
export const tokenCodeParams = tokenParams.extend({ code });
export const nameCodeParams = nameParams.extend({ code });

/** Jobs may send any other parameters. */
export const pingQuery = z.object({
  rid: uuidParam.optional().describe('Any UUID, the same in the start and the end of one run.'),
});
export const pushQuery = pingQuery.extend({
  status: z.string().default('up').describe('`up`, the default, means success, anything else failure.'),
});
export const nameQuery = pingQuery.extend({
  create: z.string().optional().describe('`1` creates a monitor with this slug if the project has none.'),
});

/** The start of the request body, of any type. */
export const pingBody = z.string().nullable().describe('Output of the job; up to 10,240 bytes are kept.');

export const pingsQuery = z.strictObject({
  limit: queryInt({ min: 1, max: MAX_RECORDS, fallback: 50 }),
  before: z.string().regex(/^\d{1,15}$/, 'Must be Unix milliseconds').transform(Number).optional()
    .meta({ type: 'integer', minimum: 0 }).describe('Only pings before this time, Unix ms.'),
});
