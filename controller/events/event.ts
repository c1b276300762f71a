import { z } from 'zod';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import { decodeJson } from '../../shared/contracts/bytes.ts';
import { OUTCOMES } from '../../shared/contracts/result.ts';
import { grouped } from '../../shared/grouped.ts';
import { derivedId, newId } from '../../shared/ids.ts';
import type { Tenant } from '../access/tenant.ts';
import type { RegionChange, StatusChange } from '../verdicts/monitor-state.ts';

export const EVENT_KINDS = [
  'result', 'monitor.state', 'monitor.region', 'monitor.changed', 'monitor.deleted', 'group.changed',
  'group.deleted', 'incident', 'probe',
] as const;

/** A change in a project, published on `events.<organization>.<project>.<kind>`; results are on `raw.…`. */
export const liveEventMessage = z.object({
  v: z.literal(1),
  /** Identical for repeats of the same event. */
  id: z.string().min(1).max(64),
  kind: z.enum(EVENT_KINDS),
  organization_id: z.string(),
  project_id: z.string(),
  /** Unix ms. */
  at: z.number(),
  data: z.record(z.string(), z.unknown()),
});
export type LiveEventMessage = z.infer<typeof liveEventMessage>;

/** A change in a project; `data` has the form of the API's resource. */
export type LiveEvent = Omit<LiveEventMessage, 'v'>;

/** Publishes to current listeners, without waiting or storing. */
export interface EventPublisher {
  publish(event: LiveEvent): void;
}

/** Publishes to all controllers and subscribers over the bus; drops events while it is disconnected. */
export function publisherOn(bus: Pick<Bus, 'publish' | 'isConnected'>): EventPublisher {
  return {
    publish: (event) => {
      if (!bus.isConnected) return;
      const subject = subjects.events(event.organization_id, event.project_id, event.kind);
      bus.publish(subject, JSON.stringify({ v: 1, ...event } satisfies LiveEventMessage));
    },
  };
}

/**
 * A monitor's status change, or the start or end of maintenance, which keeps the status. A repetition after a
 * crash gets the same event id.
 */
function stateEvent(change: StatusChange): LiveEvent {
  const { id, organization_id, project_id, monitor_id, from, to, at, reason, incident_id } = change;
  const data = {
    monitor_id, status: to, previous_status: from, in_maintenance: change.in_maintenance ?? false,
    at, reason, incident_id,
  };
  return { id, kind: 'monitor.state', organization_id, project_id, at, data };
}

/** The history of statuses, with an event for each change. */
export function publishingHistory(
  publisher: EventPublisher, history: { add(change: StatusChange): Promise<void> },
) {
  return {
    add: async (change: StatusChange): Promise<void> => {
      await history.add(change);
      publisher.publish(stateEvent(change));
    },
  };
}

/** A region's vote has changed. A repetition after a crash gets the same event id. */
export function regionEvent(change: RegionChange): LiveEvent {
  const { id, organization_id, project_id, incident_id: _incident, ...data } = change;
  return { id, kind: 'monitor.region', organization_id, project_id, at: change.at, data };
}

/** Monitors per event; a request to `/api/monitors/overview` may name as many. */
const MAX_MONITORS_PER_EVENT = 100;

/** A created, changed or deleted monitor. */
export interface ChangedMonitor {
  _id: string;
  organization_id: string;
  project_id: string;
  revision: number;
  /** Unix ms; null if not deleted. */
  deleted_at: number | null;
}

/** Events for created, changed or deleted monitors. Repeating the same revisions gives the same event ids. */
export function monitorEvents(monitors: readonly ChangedMonitor[], at: number): LiveEvent[] {
  const batches = grouped(monitors, (one) =>
    `${one.organization_id} ${one.project_id} ${one.deleted_at === null}`);
  return [...batches.values()].flatMap((all) => chunks(all).map((some): LiveEvent => {
    const [{ organization_id, project_id, deleted_at }] = some as [ChangedMonitor];
    const kind = deleted_at === null ? 'monitor.changed' : 'monitor.deleted';
    const id = derivedId(kind, ...some.flatMap(({ _id, revision }) => [_id, revision]));
    return { id, kind, organization_id, project_id, at, data: { monitor_ids: some.map(({ _id }) => _id) } };
  }));
}

function chunks<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / MAX_MONITORS_PER_EVENT);
  return Array.from({ length: count }, (_, at) => {
    return all.slice(at * MAX_MONITORS_PER_EVENT, (at + 1) * MAX_MONITORS_PER_EVENT);
  });
}

/** A group was created, changed or deleted. */
export function groupEvent(
  { organizationId: organization_id, projectId: project_id }: Tenant, groupId: string, isDeleted: boolean,
  at: number,
): LiveEvent {
  const kind = isDeleted ? 'group.deleted' : 'group.changed';
  return { id: newId(at), kind, organization_id, project_id, at, data: { group_id: groupId } };
}

export interface ProbeStatusChange {
  id: string;
  name: string;
  region_id: string;
  status: 'online' | 'offline' | 'quarantined';
  /** Unix ms. */
  at: number;
}

/** A probe came online, went offline or was quarantined, as seen by one project with access to it. */
export function probeEvent(
  { id, name, region_id, status, at }: ProbeStatusChange, project: Tenant,
): LiveEvent {
  return {
    id: derivedId(id, status, at, project.projectId), kind: 'probe',
    organization_id: project.organizationId, project_id: project.projectId, at,
    data: { id, name, region_id, status, at },
  };
}

/** The fields that an event needs from a message on `raw.…`. */
const rawMessage = z.object({
  organization_id: z.string(), project_id: z.string(), monitor_id: z.string(), region: z.string(),
  probe_id: z.string(), epoch: z.string(), seq: z.int(), started_at: z.number(),
  outcome: z.enum(OUTCOMES), degraded: z.boolean(), response_time_ms: z.number().nullable(),
  status_code: z.number().nullable(), timings: z.record(z.string(), z.number()).nullable(),
  error: z.object({ type: z.string(), message: z.string() }).nullable(),
});

/** The event of a stored result, from its message on `raw.…`; null if the message is malformed. */
export function resultEvent(message: Uint8Array): LiveEvent | null {
  const raw = decodeJson(rawMessage, message);
  if (raw === null) return null;
  const { organization_id, project_id, epoch, seq, started_at: at, ...result } = raw;
  const id = derivedId(result.probe_id, epoch, result.monitor_id, seq);
  const data = { success: result.outcome === 'success', checked_at: at, ...result };
  return { id, kind: 'result', organization_id, project_id, at, data };
}
