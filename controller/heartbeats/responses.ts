import { z } from 'zod';

export const receivedResponse = z.strictObject({ ok: z.literal(true) });

const pingView = z.strictObject({
  at: z.int().describe('When it was received, Unix ms.'),
  kind: z.enum(['success', 'fail', 'start', 'log']),
  exit_code: z.int().nullable(),
  duration_ms: z.int().nullable().describe('Time since the start of the same run; null if no start is kept.'),
  run_id: z.string().nullable().describe('The `rid` of the request.'),
  source: z.string().describe('The address of the sender.'),
  body: z.string().nullable().describe('The start of the body of the request; `***` for viewers.'),
}).meta({ id: 'Ping' });

export const pingsResponse = z.strictObject({ pings: z.array(pingView) });

export const pingKeyResponse = z.strictObject({
  ping_key: z.string().describe('Whoever has it can ping the heartbeats of the project, and create some.'),
});
