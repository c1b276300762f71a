import type { Log } from '../../shared/log.ts';
import type { Tenant } from '../accounts/tenant.ts';
import type { EventPublisher } from '../events/event.ts';
import type { CommentStore } from './comment-store.ts';
import type { MonitorSummary, MonitorHistoryReader, NotificationLog } from './ports.ts';
import type { IncidentStore } from './store.ts';
import type { IncidentUpdateStore } from './update-store.ts';
import type { VoteStore } from './vote-store.ts';

/** What the verbs of incidents work with. */
export interface IncidentDeps {
  incidents: IncidentStore;
  updates: IncidentUpdateStore;
  comments: CommentStore;
  votes: VoteStore;
  notifications: NotificationLog;
  monitors: {
    /** Name and type of those of `ids` that are living monitors of this project. */
    summaries(tenant: Tenant, ids: string[]): Promise<Map<string, MonitorSummary>>;
  };
  history: MonitorHistoryReader;
  outages: {
    /**
     * The number of failed results in the current outages of these monitors, by incident id.
     * @throws AppError SERVICE_UNAVAILABLE while nobody knows it.
     */
    failures(monitorIds: string[]): Promise<Map<string, number>>;
  };
  people: {
    /** Null unless this member of the organization has access to the project. */
    assignee(tenant: Tenant, userId: string): Promise<{ id: string; name: string } | null>;
  };
  events: EventPublisher;
  /** Called after each change of an incident. */
  onChanged(): void;
  /** Has whoever owns a shard poll now for incidents that people have ended. */
  notifyOwner(shard: number): void;
  log: Log;
}
