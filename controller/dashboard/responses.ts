import { z } from 'zod';

const count = z.int().min(0);
const monitor = { monitor_id: z.uuid(), monitor_name: z.string() };

export const overviewResponse = z.strictObject({
  /** By current health; `paused` counts all that are not active. */
  monitors: z.strictObject({
    total: count, up: count, down: count, degraded: count, paused: count, unknown: count,
  }),
  incidents: z.strictObject({
    open: count, acknowledged: count,
    latest: z.array(z.strictObject({
      id: z.uuid(), title: z.string(), severity: z.enum(['critical', 'major', 'minor', 'warning']),
      status: z.enum(['open', 'acknowledged']), check_id: z.uuid().nullable(), started_at: z.iso.datetime(),
    })),
  }),
  /** By their latest successful check, slowest first. */
  slowest_monitors: z.array(z.strictObject({ ...monitor, response_time_ms: z.number() })),
  /** By recent outages, most first. */
  flakiest_monitors: z.array(z.strictObject({ ...monitor, recent_outages: count })),
  fleet: z.strictObject({
    regions: count, regions_online: count,
    probes: z.strictObject({
      enrolling: count, online: count, offline: count, draining: count, quarantined: count,
    }),
  }),
}).meta({ id: 'DashboardOverview' });
