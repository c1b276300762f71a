import { z } from 'zod';
import { MONITOR_TYPES } from '../../../shared/contracts/check-spec.ts';
import { queryInt } from '../../http/input/validation.ts';
import { inMaintenance } from '../responses.ts';

export const probeMonitorsQuery = z.strictObject({
  limit: queryInt({ min: 1, max: 100, fallback: 50 }),
  offset: queryInt({ min: 0, fallback: 0 }),
  search: z.string().max(255, 'Search must be at most 255 characters').default('')
    .describe('Literal text in the name or target; ignores case.'),
});
export type ProbeMonitorsInput = z.output<typeof probeMonitorsQuery>;

const probeMonitor = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  type: z.enum(MONITOR_TYPES),
  status: z.enum(['active', 'paused', 'disabled']),
  runtimeStatus: z.enum(['up', 'down', 'degraded', 'paused', 'unknown']),
  in_maintenance: inMaintenance,
}).meta({ id: 'ProbeMonitor' });
export type ProbeMonitor = z.infer<typeof probeMonitor>;

export const probeMonitorsResponse = z.strictObject({
  monitors: z.array(probeMonitor).describe('Sorted by name.'),
  others: z.int().describe('Number of monitors of other projects and organizations on the probe.'),
  pagination: z.strictObject({
    total_count: z.int(), limit: z.int(), offset: z.int(), has_more: z.boolean(),
  }),
});
