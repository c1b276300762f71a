import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret, shardOf } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { PingStore } from '../heartbeats/store.ts';
import { toMonitorConfig } from '../monitors/config.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { MonitorStore } from '../monitors/store.ts';
import { RawRetention } from '../plans/raw-retention.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import { ResultsService, type ResultsDeps } from '../results/service.ts';
import type { Accounts } from './accounts.ts';
import type { Events } from './events.ts';
import type { Fleet } from './fleet.ts';
import type { Incidents } from './incidents.ts';
import type { Notifications } from './notifications.ts';
import type { ResultStores } from './result-stores.ts';

export type Results = ResultsService<MonitorDoc>;

export interface ResultsOptions {
  stores: ResultStores;
  monitors: MonitorStore;
  pings: PingStore;
  accounts: Pick<Accounts, 'plans' | 'quota'>;
  fleet: Pick<Fleet, 'directory' | 'liveness' | 'placement'>;
  events: Pick<Events, 'telling'>;
  incidents: Pick<Incidents, 'outbox'>;
  notifications: Pick<Notifications, 'alerts' | 'service'>;
  dataDir: string;
  bus: Bus;
  clock: Clock;
  log: Log;
}

/** What becomes of results, put together and not yet started. */
export function openResults(options: ResultsOptions): Results {
  const { stores, monitors, accounts, fleet, notifications, bus, clock, log } = options;
  return new ResultsService({
    clock, log, bus, holder: holderOf(options.dataDir), pings: options.pings,
    stores: { ...stores, history: options.events.telling(stores.history), incidents: options.incidents.outbox, alerts: notifications.alerts },
    limits: limitsOf(accounts, fleet, clock),
    monitors: {
      findMarked: async (shards, limit) =>
        (await monitors.findUnjournaled(shards, limit)).map((doc) => ({ shard: shardOf(doc._id), config: toMonitorConfig(doc), monitor: doc })),
      place: (docs) => fleet.placement.apply(docs),
      clear: (marks) => monitors.clearUnjournaled(marks),
    },
    onPoke: () => notifications.service.poke(),
  });
}

function limitsOf({ plans, quota }: ResultsOptions['accounts'], fleet: ResultsOptions['fleet'], clock: Clock): ResultsDeps<MonitorDoc>['limits'] {
  const retention = new RawRetention({ clock, plans, limitsOf: (organizationId) => quota.limitsOf(organizationId) });
  return {
    rawRetentionMs: (organizationId) => retention.of(organizationId), longestRawMs: retention.longestMs,
    regionOwner: (region) => fleet.directory.region(region)?.organization_id,
    clockShiftMs: (probeId) => fleet.liveness.clockShiftMs(probeId),
  };
}

/** A name for this installation's controller that outlives its process, so that it finds its own shards after a kill. */
function holderOf(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'controller-id');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const id = newSecret().slice(0, 32);
    writeFileSync(file, `${id}\n`, { flag: 'wx', mode: 0o600 });
    return id;
  }
}
