import { z } from 'zod';
import { errorType } from '../../../../shared/contracts/result.ts';
import { isInMaintenance } from '../../../verdicts/time-accounting/maintenance-rules.ts';
import { statusOfRegion } from '../../../verdicts/votes/region-change-rules.ts';
import type { MonitorState } from '../../../verdicts/monitor-state.ts';

const status = z.enum(['up', 'down', 'degraded', 'paused', 'unknown']);
const instant = z.number().nullable();

/** A monitor as its shard's owner sees it. Timestamps are Unix ms. */
export const monitorLive = z.object({
  status,
  since: z.number(),
  in_maintenance: z.boolean(),
  last_check_at: instant,
  last_success_at: instant,
  last_failure_at: instant,
  /** Heartbeats only: the latest ping that reported the end of a job. */
  last_heartbeat_at: instant.optional(),
  /** The incident of the outage, otherwise of the slow period. */
  open_incident: z.object({
    id: z.string(),
    started_at: z.number(),
    severity: z.enum(['critical', 'major', 'minor', 'warning']),
    type: errorType,
    /** Failures so far. */
    failure_count: z.number(),
  }).nullable(),
  regions: z.array(z.object({
    region: z.string(),
    status,
    /** Why it is not up. */
    reason: z.string().nullable(),
    last_check_at: instant,
    response_time_ms: z.number().nullable(),
    probe_id: z.string().nullable(),
  })),
});
export type MonitorLive = z.infer<typeof monitorLive>;

/** `now`: Unix ms. */
export function viewLive(state: MonitorState, now: number): MonitorLive {
  const open = state.outage ?? state.slow;
  return {
    status: state.status, since: state.since, in_maintenance: isInMaintenance(state.config, now),
    last_check_at: state.last_check_at,
    last_success_at: state.last_success_at, last_failure_at: state.last_failure_at,
    ...(state.heartbeat ? { last_heartbeat_at: state.heartbeat.last_at } : {}),
    open_incident: open === null ? null : {
      id: open.incident_id, started_at: open.started_at, severity: open.severity, type: open.type,
      failure_count: open.failure_count,
    },
    regions: Object.entries(state.regions).map(([region, seen]) => ({
      region, status: statusOfRegion(seen), reason: seen.reason ?? seen.error?.message ?? null,
      last_check_at: seen.last_at, response_time_ms: seen.response_time_ms, probe_id: seen.probe_id,
    })),
  };
}
