import { z } from 'zod';
import { derivedId, shardOf } from '../../shared/ids.ts';
import type { StatusChange } from '../verdicts/monitor-state.ts';
import type { LiveEvent } from './event.ts';

/** A monitor went from one status to another. The same change is the same event, also when it is told again after a crash. */
export function stateEvent(change: StatusChange): LiveEvent {
  const { id, organization_id, project_id, monitor_id, from, to, at, reason, incident_id } = change;
  return { id, kind: 'monitor.state', organization_id, project_id, at, data: { monitor_id, status: to, previous_status: from, at, reason, incident_id } };
}

export interface ProbeSeen {
  id: string;
  name: string;
  region_id: string;
  isOnline: boolean;
  /** Unix ms. */
  at: number;
}

/** A probe was heard again, or has fallen silent, as a project that may see it is told. */
export function probeEvent(probe: ProbeSeen, project: { organizationId: string; projectId: string }): LiveEvent {
  const { id, name, region_id, isOnline, at } = probe;
  return {
    id: derivedId(id, isOnline ? 'online' : 'offline', at, project.projectId), kind: 'probe',
    organization_id: project.organizationId, project_id: project.projectId, at,
    data: { id, name, region_id, status: isOnline ? 'online' : 'offline', at },
  };
}

/** As much of a message on `raw.…` as its event needs. */
const rawMessage = z.object({
  monitor_id: z.string(), organization_id: z.string(), project_id: z.string(), region: z.string(), probe_id: z.string(), epoch: z.string(), seq: z.int(),
  outcome: z.enum(['success', 'failure', 'missed']), degraded: z.boolean(), response_time_ms: z.number().nullable(), status_code: z.number().nullable(),
  error: z.object({ type: z.string(), message: z.string() }).nullable(), timings: z.record(z.string(), z.number()).nullable(), started_at: z.number(),
});

/** A result that was stored; null when `message` is none. */
export function resultEvent(message: unknown): LiveEvent | null {
  const parsed = rawMessage.safeParse(message);
  if (!parsed.success) return null;
  const { organization_id, project_id, epoch, seq, started_at: at, monitor_id, region, probe_id, outcome, ...rest } = parsed.data;
  return {
    id: derivedId(probe_id, epoch, shardOf(monitor_id), seq), kind: 'result', organization_id, project_id, at,
    data: { monitor_id, region, probe_id, success: outcome === 'success', outcome, ...rest, checked_at: at },
  };
}
