import { subjects } from '../../shared/contracts/subjects.ts';
import { Lifecycle } from '../../shared/lifecycle.ts';
import { Announcer } from '../assignments/announcer.ts';
import { StaleProbeNotifier } from '../assignments/stale-probe-notifier.ts';
import { Confirmations, Witnesses } from '../assignments/second-opinions.ts';
import { EnvelopeSealer } from '../assignments/envelope.ts';
import { AssignmentHistoryCache } from '../assignments/assignment-history-cache.ts';
import { Placement } from '../assignments/placement.ts';
import { tombstoneRetentionMs, Rebalancer } from '../assignments/rebalancer.ts';
import { RunNow } from '../assignments/run-now.ts';
import { SyncResponder } from '../assignments/sync-responder.ts';
import { AssignmentWriter } from '../assignments/writer.ts';
import { maxRawRetentionMs, type Quota } from '../plans/quota.ts';
import { ConnectionLimit } from '../platform/bus/connection-limit.ts';
import type { BusUser } from '../platform/bus/identities-port.ts';
import { openIdentities } from '../platform/bus/open-identities.ts';
import { FleetDirectory } from '../probes/directory.ts';
import { EphemeralProbes } from '../probes/ephemeral-probes.ts';
import { IdentityPublisher } from '../probes/identity-publisher.ts';
import { isRotating, KeyRotations } from '../probes/key-rotations.ts';
import { Liveness } from '../probes/liveness.ts';
import { Mesh } from '../probes/mesh.ts';
import { ProbeRate } from '../probes/probe-rate.ts';
import type { ProbeDoc } from '../probes/probe.ts';
import { Quarantines } from '../probes/quarantines.ts';
import type { ProbeNotice } from '../probes/notice-rules.ts';
import { ProbeNotices } from '../probes/notices.ts';
import { fleetRoutes } from '../probes/routes.ts';
import { seedFleet } from '../probes/seed.ts';
import type { ControllerPorts } from './ports.ts';

/** A probe that takes longer to connect anew is asked again. */
const ROTATION_TIMEOUT_MS = 5000;

interface FleetSources {
  directory: FleetDirectory;
  /** Tells the operator of a probe. */
  notify(notice: ProbeNotice): Promise<void>;
  quota: Quota;
  /** Users of NATS besides probes. */
  otherUsers(): Promise<BusUser[]>;
}

type FleetPorts = Omit<ControllerPorts, 'holder' | 'random' | 'resolve' | 'signals' | 'baseUrl'>;
export type Fleet = Awaited<ReturnType<typeof openFleet>>;

/** Regions and probes as this controller knows them. */
export function openDirectory({ stores, clock, log, peers }: FleetPorts): FleetDirectory {
  const { regions, probes } = stores;
  return new FleetDirectory({ regions, probes, clock, log, peers });
}

/** Regions and probes, and which probe runs which monitor. */
export async function openFleet(ports: FleetPorts, sources: FleetSources) {
  const { directory, notify, quota, otherUsers } = sources;
  const { config, stores, bus, timeZone, clock, log, peers, ownsShard, shardMap, natsUrl } = ports;
  const { monitors, regions, probes, enrolmentKeys, assignments: items, assignmentHeads: heads } = stores;
  const { embeddedProbeToken, nats } = config;
  await seedFleet({ regions, probes, now: clock.now(), timeZone, embeddedProbeToken });
  const keys = await stores.controllerKeys.loadOrCreate(clock.now());
  const natsUsers = openIdentities({ bus, users: nats.users, credsFile: nats.credsFile, clock, log });
  const limit = new ConnectionLimit({ bus, clock, log, onSuspended: () => identities.refresh() });
  const owns = (id: string): boolean => ownsShard(shardMap.of(id));
  const identities: IdentityPublisher = new IdentityPublisher({
    bus, probes, otherUsers, identities: natsUsers, limit, clock, log, peers,
    onProbesRead: (all) => {
      const rotating = all.filter((probe) => isRotating(probe) && owns(probe.region_id));
      const reachable = rotating.filter((probe) => liveness.isLive(probe));
      for (const probe of reachable) rotations.advance(probe);
      return reachable.length > 0;
    },
  });
  const publishIdentities = async (): Promise<void> => {
    identities.announce();
    await identities.publish();
  };
  const liveness: Liveness = new Liveness({ bus, directory, store: probes, clock, log });
  const sealer = new EnvelopeSealer(keys, clock);
  const announcer = new Announcer({ bus, sealer });
  const writer = new AssignmentWriter({ items, heads, clock });
  const { allowPrivate } = config.checks;
  const placement = new Placement({
    items, writer, announcer, directory, regions, liveness, allowPrivate, log, variables: stores.variables,
    onChanged: () => assignments.refreshWithinInterval(),
    regionLimit: async (organizationId) => (await quota.limitsOf(organizationId)).regions_per_monitor,
  });
  const rebalancer: Rebalancer = new Rebalancer({
    placement, items, heads, monitors, probes, regions, directory, clock, log, peers,
    tombstoneRetentionMs: tombstoneRetentionMs(maxRawRetentionMs(config.accounts.plans)),
    owns,
  });
  const assignments = new AssignmentHistoryCache({
    items, heads, clock, log, peers, isOurs: owns,
  });
  const staleProbes = new StaleProbeNotifier({ bus, directory, heads, assignments, announcer, clock, log });
  const syncRate = new ProbeRate({ clock, log, subject: 'sync' });
  const responder = new SyncResponder({ bus, items, heads, sealer, directory, rate: syncRate, log });
  const confirmations = new Confirmations({ bus, directory, sealer, clock });
  const runRate = new ProbeRate({ clock, log, subject: 'run' });
  const runNow = new RunNow({ placement, items, liveness, directory, bus, sealer, rate: runRate });
  const witnesses = new Witnesses({ items, directory, liveness, runNow, clock, log });
  const rotations = new KeyRotations({
    probes, publishIdentities, directory, clock, log,
    order: (probe, order) => bus.request(
      subjects.run(probe.region_id, probe._id), sealer.seal('run', probe, order), { timeoutMs: ROTATION_TIMEOUT_MS },
    ),
  });
  const mesh = new Mesh({
    directory, liveness, owns, allowPrivate, clock, log,
    send: (probe, order) => bus.publish(subjects.run(probe.region_id, probe._id), sealer.seal('run', probe, order)),
  });
  const rebalance = () => rebalancer.trigger();
  const quarantines = new Quarantines({
    directory, liveness, store: probes, clock, log, rebalance,
  });
  const notices =
    new ProbeNotices({ directory, liveness, store: probes, raiseAlert: notify, owns, clock, log });
  const ephemeralProbes = new EphemeralProbes({
    directory, liveness, probes, quota, publishIdentities, rebalance, owns, clock, log,
  });
  liveness.onPresence(rebalance);
  const isVisibleTo = (probe: ProbeDoc, organizationId: string): boolean =>
    probe.removed_at === null && (probe.organization_id === null || probe.organization_id === organizationId);
  return {
    placement, liveness, directory, assignments, responder, confirmations, witnesses, quarantines,
    identities, runNow, mesh,
    rates: [liveness.rate, syncRate, runRate],
    assigned: async (organizationId: string, probeId: string) => {
      const probe = await probes.find(probeId);
      if (probe === null || !isVisibleTo(probe, organizationId)) return null;
      const [ids, total] = await Promise.all([items.idsOf(organizationId, probeId), items.countOf(probeId)]);
      return { ids, total };
    },
    overview: {
      probes: (organizationId: string) => [...directory.probes()]
        .filter((probe) => isVisibleTo(probe, organizationId))
        .map((probe) => ({
          name: probe.name, region: probe.region_id, status: liveness.statusOf(probe).status,
        })),
    },
    routes: fleetRoutes({
      probes, enrolmentKeys, regions, liveness, mesh, publishIdentities, directory, quota, rebalance,
      rotateKeys: (probe) => rotations.advance(probe),
      monitorsByRegion: (organizationId) => items.countByRegion(organizationId),
      enrolment: {
        probes, enrolmentKeys, regions, quota, keys, publishIdentities, directory, log,
        natsUrl, shardCount: shardMap.count,
      },
    }),
    /** Lets probes beat, ask for work and be given it. Does not start when the database does not answer. */
    lifecycle: new Lifecycle({ clock, log })
      .add({ directory })
      .add({ connectionLimit: limit })
      .add({ identities })
      .add({ liveness, responder, assignments, staleProbes })
      .add({ confirmations, witnesses, rotations })
      .add({ rebalancer })
      .add({ notices, ephemeralProbes, mesh }),
  };
}
