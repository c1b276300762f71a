import { shardOf } from '../../shared/ids.ts';
import { Announcer } from '../assignments/announcer.ts';
import { BehindTeller } from '../assignments/behind.ts';
import { Confirmations } from '../assignments/confirmations.ts';
import { EnvelopeSealer } from '../assignments/envelope.ts';
import { HeadStore } from '../assignments/head-store.ts';
import { KnownAssignments } from '../assignments/known-assignments.ts';
import { Placement } from '../assignments/placement.ts';
import type { MonitorSource } from '../assignments/ports.ts';
import { keptTombstonesMs, Rebalancer } from '../assignments/rebalancer.ts';
import { RunNow } from '../assignments/run-now.ts';
import { AssignmentStore } from '../assignments/store.ts';
import { SyncResponder } from '../assignments/sync-responder.ts';
import { Witnesses } from '../assignments/witnesses.ts';
import { AssignmentWriter } from '../assignments/writer.ts';
import { longestRawMs } from '../plans/known-limits.ts';
import type { Quota } from '../plans/quota.ts';
import type { BusUser } from '../platform/bus/identities-port.ts';
import { openIdentities } from '../platform/bus/open-identities.ts';
import { FleetDirectory } from '../probes/directory.ts';
import { identityRounds } from '../probes/identity-rounds.ts';
import { KeyStore } from '../probes/key-store.ts';
import { Liveness } from '../probes/liveness.ts';
import { ProbeRate } from '../probes/probe-rate.ts';
import type { ProbeDoc } from '../probes/probe.ts';
import { RegionStore } from '../probes/region-store.ts';
import { fleetRoutes } from '../probes/routes.ts';
import { seedFleet } from '../probes/seed.ts';
import { ProbeStore } from '../probes/store.ts';
import type { ControllerPorts } from './ports.ts';

interface FleetSources {
  monitors: MonitorSource;
  ownsShard(shard: number): boolean;
  quota: Quota;
  /** Users of NATS besides probes. */
  otherUsers(): BusUser[];
}

type FleetPorts = Omit<ControllerPorts, 'random' | 'resolve'>;
export type Fleet = Awaited<ReturnType<typeof openFleet>>;

/** Regions and probes, and which probe runs which monitor. */
export async function openFleet(ports: FleetPorts, { monitors, ownsShard, quota, otherUsers }: FleetSources) {
  const { config, mongo: { db }, bus, timeZone, clock, log, company } = ports;
  const [regions, probes] = [new RegionStore(db), new ProbeStore(db)];
  const [items, heads] = [new AssignmentStore(db), new HeadStore(db)];
  await Promise.all([regions, probes, items].map((store) => store.ensureIndexes()));
  const { embeddedProbeToken, nats } = config;
  await seedFleet({ regions, probes, now: clock.now(), timeZone, embeddedProbeToken });
  const keys = await new KeyStore(db).loadOrCreate(clock.now());
  const directory = new FleetDirectory({ regions, probes, clock, log, company });
  const natsUsers = openIdentities({ bus, users: nats.users, credsFile: nats.credsFile, clock, log });
  const identities = identityRounds({
    probes, others: otherUsers, identities: natsUsers, clock, log, company,
  });
  const liveness = new Liveness({ bus, directory, store: probes, clock, log });
  const sealer = new EnvelopeSealer(keys, clock);
  const announcer = new Announcer({ bus, sealer });
  const writer = new AssignmentWriter({ items, heads, clock });
  const { allowPrivate } = config.checks;
  const placement = new Placement({
    items, writer, announcer, directory, regions, liveness, allowPrivate, changed: () => assignments.soon(),
    regionLimit: async (organizationId) => (await quota.limitsOf(organizationId)).regions_per_monitor,
  });
  const rebalancer = new Rebalancer({
    placement, items, heads, monitors, probes, regions, directory, clock, log, company,
    keepTombstonesMs: keptTombstonesMs(longestRawMs(config.accounts.plans)),
    owns: (regionId) => ownsShard(shardOf(regionId)),
  });
  const assignments = new KnownAssignments({
    items, heads, clock, log, company, isOurs: (monitorId) => ownsShard(shardOf(monitorId)),
  });
  const behind = new BehindTeller({ bus, directory, heads, assignments, announcer, clock, log });
  const syncRate = new ProbeRate({ clock, log, subject: 'sync' });
  const responder = new SyncResponder({ bus, items, heads, sealer, directory, rate: syncRate, log });
  const confirmations = new Confirmations({ bus, directory, sealer, clock });
  const runRate = new ProbeRate({ clock, log, subject: 'run' });
  const runNow = new RunNow({ placement, items, liveness, directory, bus, sealer, rate: runRate });
  const witnesses = new Witnesses({ items, directory, liveness, runNow, clock, log });
  const publishIdentities = () => identities.run();
  const isOf = (probe: ProbeDoc, organizationId: string): boolean =>
    probe.removed_at === null && (probe.organization_id === null || probe.organization_id === organizationId);
  return {
    placement, liveness, directory, assignments, responder, confirmations, witnesses,
    publishIdentities,
    rates: [liveness.rate, syncRate, runRate],
    runNow,
    overview: {
      probes: (organizationId: string) => [...directory.probes()]
        .filter((probe) => isOf(probe, organizationId))
        .map((probe) => ({ region: probe.region_id, status: liveness.statusOf(probe).status })),
    },
    routes: fleetRoutes({
      probes, regions, liveness, publishIdentities, directory, quota,
      rebalance: () => rebalancer.look(),
      monitorsByRegion: (organizationId) => items.countByRegion(organizationId),
      enrolment: { probes, regions, keys, publishIdentities, directory, natsUrl: nats.publicUrl, log },
    }),
    /** Lets probes beat, ask for work and be given it. Rejects when the database does not answer. */
    start: async () => {
      await directory.start();
      await publishIdentities();
      identities.start();
      liveness.start();
      responder.start();
      await assignments.start();
      behind.start();
      liveness.onPresence(() => rebalancer.look());
      rebalancer.start();
    },
    stop: async () => {
      await rebalancer.stop();
      confirmations.stop();
      witnesses.stop();
      const others = [assignments, behind, responder, liveness, identities, directory];
      await Promise.all(others.map((each) => each.stop()));
    },
  };
}
