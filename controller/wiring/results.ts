import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret, shardOf } from '../../shared/ids.ts';
import { assignedOf } from '../assignments/assigned-regions.ts';
import { PingStore } from '../heartbeats/store.ts';
import { toMonitorConfig } from '../monitors/config.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import { CachedLimits } from '../plans/cached-limits.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';
import { DeadLetterStore } from '../results/dead-letters/dead-letter-store.ts';
import { HourStore } from '../results/hours/hour-store.ts';
import { JournalStore } from '../results/journal/journal-store.ts';
import type { HasRawReaders } from '../results/raw-results.ts';
import { ResultsService } from '../results/service.ts';
import { LeaseStore } from '../results/shards/lease-store.ts';
import { SnapshotStore } from '../results/writing/snapshot-store.ts';
import { CertificateStore } from '../results/writing/certificate-store.ts';
import { StateStore } from '../results/writing/state-store.ts';
import { MongoStatusHistory } from '../results/writing/status-history-store.ts';
import type { Accounts } from './accounts.ts';
import type { Domains } from './domains.ts';
import type { Events } from './events.ts';
import type { Fleet } from './fleet.ts';
import type { Incidents } from './incidents.ts';
import type { Maintenance } from './maintenance.ts';
import type { Monitors } from './monitors.ts';
import type { Notifications } from './notifications.ts';
import type { ControllerPorts } from './ports.ts';

interface ResultSources {
  monitors: Monitors;
  accounts: Accounts;
  fleet: Fleet;
  events: Events;
  incidents: Incidents;
  notifications: Notifications;
  domains: Domains;
  maintenance: Pick<Maintenance, 'maintenanceRanges'>;
  hasRawReaders: HasRawReaders;
}

/** @internal Tests and benches open the stores alone. */
export type ResultStores = Awaited<ReturnType<typeof openResultStores>>;

/** What becomes of results, from the bus to incidents and alerts; `pings` are those of heartbeats. */
export async function openResults(ports: ControllerPorts, sources: ResultSources) {
  const { config, mongo: { db }, bus, peers, holder, clock, log } = ports;
  const { fleet, events, incidents, notifications, domains, maintenance } = sources;
  const { monitors: { store: monitors }, accounts: { quota } } = sources;
  const stores = await openResultStores(db);
  const pings = new PingStore(db);
  await pings.ensureIndexes();
  const limitsOf = (organizationId: string) => quota.limitsOf(organizationId);
  const limits = new CachedLimits({ clock, plans: config.accounts.plans, limitsOf });
  const service = new ResultsService<MonitorDoc>({
    clock, log, bus, peers, holder, pings, manualEnds: incidents.store, hasRawReaders: sources.hasRawReaders,
    stores: {
      ...stores, history: events.publishingHistory(stores.history),
      incidents: incidents.outbox, alerts: notifications.alerts,
    },
    limits: {
      rawRetentionMs: (organizationId) => limits.rawRetentionMs(organizationId),
      maxRawRetentionMs: limits.maxRawRetentionMs,
      regionOwner: (region) => fleet.directory.region(region)?.organization_id,
      clockShiftMs: (probeId) => fleet.liveness.clockShiftMs(probeId),
      hasVote: (probeId) => fleet.quarantines.hasVote(probeId),
      hasLiveProbe: (region) => fleet.liveness.liveProbes(region).length > 0,
      canGetMoreVotes: (state) => fleet.witnesses.canGetMoreVotes(state),
      assignments: fleet.assignments,
      noDataAfterMs: config.noDataAfterMs,
      assigned: (config) =>
        assignedOf(fleet.directory, config, limits.regionsPerMonitor(config.organization_id)),
    },
    monitors: {
      findMarked: async (shards, limit) => {
        const docs = await monitors.findUnjournaled(shards, limit);
        await limits.preload(docs.map((doc) => doc.organization_id));
        // Read after the monitors: when an expiry or a window changes, they are marked after it is written.
        const expiries = await domains.track(docs.flatMap(({ domain }) => domain ?? []));
        const maintenanceRanges = await maintenance.maintenanceRanges(docs.map(({ _id }) => _id));
        return docs.map((doc) => {
          const config = toMonitorConfig(doc, expiries.get(doc.domain ?? ''), maintenanceRanges.get(doc._id));
          return { shard: shardOf(doc._id), config, monitor: doc };
        });
      },
      place: async (docs) => {
        await fleet.placement.apply(docs);
        events.publishMonitors(docs);
      },
      clear: (marks) => monitors.clearUnjournaled(marks),
    },
    onFailure: (state, region, result) => {
      fleet.confirmations.onResult(state, region, result);
      fleet.witnesses.request(state, (decision) => service.recordWitness(decision));
    },
    onNotified: () => notifications.service.trigger(),
  });
  return { service, pings };
}

/** The collections of results, with their indexes. */
export async function openResultStores(db: Mongo['db']) {
  const [hours, states, history] = [new HourStore(db), new StateStore(db), new MongoStatusHistory(db)];
  const deadLetters = new DeadLetterStore(db);
  await Promise.all([states, history, deadLetters].map((store) => store.ensureIndexes()));
  return {
    journal: new JournalStore(db), snapshots: new SnapshotStore(db), leases: new LeaseStore(db),
    certificates: new CertificateStore(db), states, hours, rollups: hours, history, changes: history,
    deadLetters,
  };
}

/** Outlives the process, so that a controller finds what is its own again after it was killed. */
export function readControllerId(dataDir: string): string {
  const file = join(dataDir, 'controller-id');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const id = newSecret().slice(0, 32);
    writeFileSync(file, `${id}\n`, { flag: 'wx', mode: 0o600 });
    return id;
  }
}
