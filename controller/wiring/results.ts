import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret } from '../../shared/ids.ts';
import { assignedOf } from '../assignments/assigned-regions.ts';
import { publishingHistory } from '../events/event.ts';
import { maintenanceRangesOf } from '../maintenance/plan-rules.ts';
import { toMonitorConfig } from '../monitors/settings/registry.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import { CachedLimits } from '../plans/quota.ts';
import { ResultsService } from '../results/service.ts';
import type { AlertsPort, TargetChangesPort } from '../verdicts/effect.ts';
import type { Accounts } from './accounts.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Domains } from './domains.ts';
import type { Events } from './events.ts';
import type { Fleet } from './fleet.ts';
import type { Incidents } from './incidents.ts';
import type { Notifications } from './notifications.ts';
import type { ControllerPorts } from './ports.ts';
import type { OwnedShards } from './known-later.ts';
import type { Stores } from './stores.ts';
import type { RawReaders } from './subscriptions.ts';

interface ResultSources {
  accounts: Accounts;
  fleet: Fleet;
  events: Events;
  incidents: Incidents;
  notifications: Notifications;
  /** Where alerts go. */
  alerts: AlertsPort;
  targetChanges: TargetChangesPort;
  domains: Domains;
  diagnosis: Pick<Diagnosis, 'diagnoser'>;
  readers: RawReaders;
  ownedShards: OwnedShards;
}

/** @internal Tests and benches open the stores alone. */
export type ResultStores = ReturnType<typeof resultStores>;

/** What becomes of results, from the bus to incidents and alerts. */
export function openResults(ports: ControllerPorts, sources: ResultSources): ResultsService<MonitorDoc> {
  const { config, stores, shardMap, signals, bus, peers, holder, clock, log, random } = ports;
  const { fleet, events, incidents, notifications, domains, readers } = sources;
  const { accounts: { quota } } = sources;
  const { monitors, pings, windows } = stores;
  const limitsOf = (organizationId: string) => quota.limitsOf(organizationId);
  const limits = new CachedLimits({ clock, plans: config.accounts.plans, limitsOf });
  const service = new ResultsService<MonitorDoc>({
    clock, log, random, bus, peers, holder, shardMap, pings,
    manualEnds: {
      unjournaledEnds: (shards, limit) => stores.incidents.unjournaledEnds(shards, limit),
      clearUnjournaled: (ids) => incidents.outbox.clearUnjournaled(ids),
    },
    rawReaders: { organizations: readers.directory.organizations, projects: events.hub.streamedProjects },
    confirmations: fleet.confirmations, witnesses: fleet.witnesses, diagnoser: sources.diagnosis.diagnoser,
    stores: {
      ...resultStores(stores), history: publishingHistory(events.publisher, stores.statusHistory),
      incidents: incidents.outbox, alerts: sources.alerts, targetChanges: sources.targetChanges,
    },
    limits: {
      shardOf: shardMap.of,
      rawRetentionMs: limits.rawRetentionMs, maxRawRetentionMs: limits.maxRawRetentionMs,
      intakeFacts: fleet.liveness.intakeFacts, hasVote: fleet.directory.hasVote,
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
        const names = docs.flatMap(({ domain }) => domain ?? []);
        const expiries = names.length > 0 ? await domains.track(names) : null;
        const inWindows = docs.filter(({ windows_changed_at: at }) => at !== undefined).map(({ _id }) => _id);
        const maintenance = inWindows.length > 0 ? await windows.ofMonitors(inWindows) : null;
        return docs.map((doc) => {
          const own = maintenance?.get(doc._id);
          const ranges = own && maintenanceRangesOf(own, clock.now());
          const config = toMonitorConfig(doc, expiries?.get(doc.domain ?? ''), ranges);
          return { shard: shardMap.of(doc._id), config, monitor: doc };
        });
      },
      place: async (docs) => {
        await fleet.placement.apply(docs);
        events.publishMonitors(docs);
      },
      clear: (marks) => monitors.clearUnjournaled(marks),
    },
    onNotified: () => {
      notifications.service.trigger();
      signals.alertsHeld.emit();
    },
  });
  sources.ownedShards.follow(service);
  signals.monitorConfigsChanged.on(() => service.pollFeeds());
  return service;
}

/** The collections of results, by what they are to the shards. */
export function resultStores(stores: Stores) {
  const { journal, snapshots, checkpoints, leases, certificates, states, hours, statusHistory } = stores;
  const { deadLetters, features } = stores;
  return {
    journal, snapshots, checkpoints, leases, certificates, features, states, hours, rollups: hours,
    history: statusHistory,
    changes: statusHistory, deadLetters,
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
