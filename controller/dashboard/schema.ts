import { z } from 'zod';

const count = z.int().min(0);

export const overviewAnswer = z.strictObject({
  /** By what is known of each; `paused`: not active. */
  monitors: z.strictObject({ total: count, up: count, down: count, degraded: count, paused: count, unknown: count }),
  incidents: z.strictObject({
    open: count,
    acknowledged: count,
    latest: z.array(z.strictObject({
      id: z.uuid(),
      title: z.string(),
      severity: z.enum(['critical', 'major', 'minor', 'warning']),
      status: z.enum(['open', 'acknowledged']),
      check_id: z.uuid().nullable(),
      started_at: z.iso.datetime(),
    })),
  }),
  /** By their latest success, slowest first. */
  slowest_monitors: z.array(z.strictObject({ monitor_id: z.uuid(), monitor_name: z.string(), response_time_ms: z.number() })),
  /** By outages of the last few hours at most, most first. */
  flakiest_monitors: z.array(z.strictObject({ monitor_id: z.uuid(), monitor_name: z.string(), recent_outages: count })),
  fleet: z.strictObject({
    regions: count,
    regions_online: count,
    probes: z.strictObject({ enrolling: count, online: count, offline: count, draining: count, quarantined: count }),
  }),
});
