import type { Log } from '../../shared/log.ts';
import type { Tenant } from '../access/tenant.ts';
import type { EventPublisher } from '../events/event.ts';
import type { CommentStore } from './comment-store.ts';
import type { IncidentDoc } from './incident.ts';
import type { ChangesPort, MonitorSummary, MonitorHistoryReader, NotificationLog } from './ports.ts';
import type { IncidentStore } from './store.ts';
import type { IncidentUpdateStore, VoteStore } from './history-store.ts';

export interface IncidentDeps {
  incidents: IncidentStore;
  updates: IncidentUpdateStore;
  comments: CommentStore;
  votes: VoteStore;
  notifications: NotificationLog;
  monitors: {
    /** By id. Omits ids that are not monitors of this project or are deleted. */
    summaries(tenant: Tenant, ids: string[]): Promise<Map<string, MonitorSummary>>;
  };
  history: MonitorHistoryReader;
  changes: ChangesPort;
  outages: {
    /**
     * Failed results in the current outages of these monitors, by incident id. Throws SERVICE_UNAVAILABLE
     * while no controller can tell.
     */
    failures(monitorIds: string[]): Promise<Map<string, number>>;
  };
  people: {
    /** Null unless the user is a member of the organization with access to the project. */
    assignee(tenant: Tenant, userId: string): Promise<{ id: string; name: string } | null>;
  };
  events: EventPublisher;
  /** Called after each change of an incident. */
  onChanged(): void;
  /** Called after a person acknowledged or ended an incident, before the response. */
  onStatusChanged(incident: IncidentDoc): Promise<void>;
  shardOf(monitorId: string): number;
  /** Makes the owner of the monitor's shard poll immediately for incidents that people have ended. */
  notifyOwner(monitorId: string): void;
  log: Log;
}
