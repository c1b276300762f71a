import type { Log } from '../../shared/log.ts';
import type { EventPublisher } from '../events/event.ts';
import type { CommentStore } from './comment-store.ts';
import type { AssigneeLookup, MonitorLookup, MonitorPast, NotificationLog, OutageLookup } from './ports.ts';
import type { IncidentStore } from './store.ts';
import type { IncidentUpdateStore } from './update-store.ts';

/** What the verbs of incidents work with. */
export interface IncidentDeps {
  incidents: IncidentStore;
  updates: IncidentUpdateStore;
  comments: CommentStore;
  notifications: NotificationLog;
  monitors: MonitorLookup;
  past: MonitorPast;
  outages: OutageLookup;
  people: AssigneeLookup;
  events: EventPublisher;
  log: Log;
}
