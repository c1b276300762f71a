import { AcknowledgeTokens } from '../access/link-tokens.ts';
import type { Tenant } from '../access/tenant.ts';
import type { IncidentDoc } from '../incidents/incident.ts';
import { IncidentOutbox } from '../incidents/outbox.ts';
import type { CausesPort, ChangesPort, MonitorHistoryReader, NotificationLog } from '../incidents/ports.ts';
import { incidentRoutes } from '../incidents/routes.ts';
import { incidentEvent } from '../incidents/views.ts';
import type { UnwrittenReader } from '../results/reading/recent/unwritten-reader.ts';
import type { ReplayedIncident } from '../verdicts/outage-replay.ts';
import type { Accounts } from './accounts.ts';
import type { Events } from './events.ts';
import type { ControllerPorts } from './ports.ts';

interface IncidentSources {
  accounts: Accounts;
  events: Events;
  causes: CausesPort;
}

/** What other rooms know about an incident. */
interface IncidentContext {
  notifications: NotificationLog;
  history: MonitorHistoryReader;
  changes: ChangesPort;
  unwritten: Pick<UnwrittenReader, 'read'>;
  /** Called after a person acknowledged or ended an incident. */
  onStatusChanged(incident: IncidentDoc): Promise<void>;
  /** Has whoever owns a monitor's shard poll now. */
  notifyOwner(monitorId: string): void;
}

export type Incidents = ReturnType<typeof openIncidents>;

/** Incidents with their history and comments; `outbox` is for the state machine. */
export function openIncidents(ports: ControllerPorts, sources: IncidentSources) {
  const { stores, shardMap, signals, clock, log } = ports;
  const { incidents, incidentUpdates: updates, comments, votes, monitors, destinations, diagnoses } = stores;
  const { accounts: { people, acknowledgeKeys }, events, causes } = sources;
  const onChanged = signals.incidentsChanged.emit;
  return {
    outbox: new IncidentOutbox(
      { incidents, updates, votes, causes, diagnoses }, clock, events.publisher, onChanged,
    ),
    /** Shows which dependency holds the alert of an incident that has not ended; null for none. */
    setHeldBy: async (id: string, heldBy: NonNullable<IncidentDoc['held_by']> | null) => {
      const changed = await incidents.setHeldBy(id, heldBy);
      if (changed) events.publisher.publish(incidentEvent(changed));
    },
    outages: {
      /** The outages of what checks opened, oldest first; from the newest `limit` incidents. */
      between: async (
        tenant: Tenant, monitorId: string, span: { from: number; to: number; limit: number },
      ) => {
        const query = { check_id: monitorId, source: 'system' as const, page: 1, ...span };
        const { incidents: found } = await incidents.list(tenant, query);
        const votesByIncident = await votes.openingVotes(tenant, found.map(({ _id }) => _id));
        const outages: ReplayedIncident[] = [];
        const inOrder = found.toSorted((a, b) => a.started_at - b.started_at || a.created_at - b.created_at);
        for (const { _id, started_at, resolved_at } of inOrder) {
          const votes = votesByIncident.get(_id) ?? [];
          const last = outages.at(-1);
          // A person had ended its incident, so that it got another one.
          if (last?.started_at === started_at) outages.splice(-1, 1, { ...last, resolved_at });
          else outages.push({ started_at, resolved_at, votes });
        }
        return outages;
      },
    },
    routesOver: ({ unwritten, ...context }: IncidentContext) => incidentRoutes({
      incidents, updates, comments, votes, monitors, people, log, events: events.publisher, onChanged,
      destinations, tokens: new AcknowledgeTokens(acknowledgeKeys), shardOf: shardMap.of, ...context,
      outages: {
        // From owners only: documents do not have every failure, and a count must not go back.
        failures: async (monitorIds) => {
          const states = [...(await unwritten.read(monitorIds, 0)).monitors.values()];
          const ongoing = states.flatMap(({ live: monitor }) => monitor.open_incident ?? []);
          return new Map(ongoing.map(({ id, failure_count = 0 }) => [id, failure_count]));
        },
      },
    }),
  };
}
