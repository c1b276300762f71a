import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { EventPublisher } from '../events/event.ts';
import type { Route } from '../http/route.ts';
import { CommentStore } from '../incidents/comment-store.ts';
import { IncidentOutbox } from '../incidents/outbox.ts';
import type { AssigneeLookup, MonitorLookup, MonitorPast, NotificationLog, OutageLookup } from '../incidents/ports.ts';
import { incidentRoutes } from '../incidents/routes.ts';
import { IncidentStore } from '../incidents/store.ts';
import { IncidentUpdateStore } from '../incidents/update-store.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';
import type { IncidentsPort } from '../verdicts/effect.ts';
import type { OpenReader } from '../results/reading/open-reader.ts';

export interface IncidentsOptions {
  db: Mongo['db'];
  clock: Clock;
  log: Log;
  monitors: MonitorLookup;
  people: AssigneeLookup;
  /** Told of each incident that is opened, changed or resolved, by whomever. */
  events: EventPublisher;
}

export interface Incidents {
  store: IncidentStore;
  /** For the state machine. */
  outbox: IncidentsPort;
  /** The routes, over what other domains tell about an incident. */
  over(sources: { notifications: NotificationLog; past: MonitorPast; live: Pick<OpenReader, 'states'> }): Route[];
}

/** Incidents with their history and comments, put together, with their indexes. */
export async function openIncidents(options: IncidentsOptions): Promise<Incidents> {
  const { db, clock, log, monitors, people, events } = options;
  const incidents = new IncidentStore(db);
  const updates = new IncidentUpdateStore(db);
  const comments = new CommentStore(db);
  await Promise.all([incidents, updates, comments].map((store) => store.ensureIndexes()));
  return {
    store: incidents,
    outbox: new IncidentOutbox({ incidents, updates }, clock, events),
    over: ({ notifications, past, live }) => incidentRoutes({
      incidents, updates, comments, notifications, monitors, past, outages: outagesOf(live), people, events, log,
    }),
  };
}

function outagesOf(live: Pick<OpenReader, 'states'>): OutageLookup {
  return {
    failures: async (monitorIds) => {
      const states = [...(await live.states(monitorIds)).values()];
      return new Map(states.flatMap(({ open_incident: open }) => (open === null ? [] : [[open.id, open.failure_count ?? 0] as const])));
    },
  };
}
