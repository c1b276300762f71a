import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { Announcer } from '../assignments/announcer.ts';
import { BehindTeller } from '../assignments/behind.ts';
import { EnvelopeSealer } from '../assignments/envelope.ts';
import { HeadStore } from '../assignments/head-store.ts';
import { Placement } from '../assignments/placement.ts';
import type { MonitorSource } from '../assignments/ports.ts';
import { Rebalancer } from '../assignments/rebalancer.ts';
import { RunNow } from '../assignments/run-now.ts';
import { AssignmentStore } from '../assignments/store.ts';
import { SyncResponder } from '../assignments/sync-responder.ts';
import { AssignmentWriter } from '../assignments/writer.ts';
import type { Route } from '../http/route.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';
import { FleetDirectory } from '../probes/directory.ts';
import { identityRounds } from '../probes/identity-rounds.ts';
import { KeyStore } from '../probes/key-store.ts';
import { Liveness } from '../probes/liveness.ts';
import type { ProbeIdentities } from '../probes/ports.ts';
import { RegionStore } from '../probes/region-store.ts';
import { fleetRoutes } from '../probes/routes.ts';
import { seedFleet } from '../probes/seed.ts';
import { ProbeStore } from '../probes/store.ts';

export interface FleetOptions {
  db: Mongo['db'];
  bus: Bus;
  monitors: MonitorSource;
  identities: ProbeIdentities;
  /** What an enrolling probe is told to connect to. */
  natsUrl: string;
  embeddedProbeToken: string | null;
  /** IANA name of the machine's time zone. */
  timeZone: string;
  /** Whether this controller owns the shard of a region's id. */
  owns: (regionId: string) => boolean;
  regionLimit?: (organizationId: string) => Promise<number>;
  clock: Clock;
  log: Log;
}

export interface Fleet {
  placement: Placement;
  liveness: Liveness;
  runNow: RunNow;
  directory: FleetDirectory;
  routes: Route[];
  stop(): Promise<void>;
}

/** The fleet's side of a controller, running: probes can enrol, beat, ask what to do, and are given work. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { db, bus, clock, log, monitors } = options;
  const regions = new RegionStore(db);
  const probes = new ProbeStore(db);
  const items = new AssignmentStore(db);
  const heads = new HeadStore(db);
  await Promise.all([regions.ensureIndexes(), probes.ensureIndexes(), items.ensureIndexes()]);
  const { embeddedProbeToken, timeZone } = options;
  await seedFleet({ regions, probes, now: clock.now(), timeZone, embeddedProbeToken });
  const keys = await new KeyStore(db).loadOrCreate(clock.now());
  const directory = new FleetDirectory({ regions, probes, clock, log });
  const identities = identityRounds({ probes, identities: options.identities, clock, log });
  const liveness = new Liveness({ bus, directory, store: probes, clock, log });
  const sealer = new EnvelopeSealer(keys, clock);
  const announcer = new Announcer({ bus, sealer });
  const writer = new AssignmentWriter({ items, heads, clock });
  const regionLimit = options.regionLimit ?? (async () => Infinity);
  const placement = new Placement({ items, writer, announcer, directory, regions, liveness, regionLimit });
  const rebalancer = new Rebalancer({ placement, items, heads, monitors, probes, regions, directory, owns: options.owns, clock, log });
  const behind = new BehindTeller({ bus, directory, heads, announcer, clock, log });
  const responder = new SyncResponder({ bus, items, heads, sealer, directory, log });
  await directory.start();
  await identities.run();
  identities.start();
  liveness.start();
  responder.start();
  await behind.start();
  rebalancer.start();
  const countMonitors = (organizationId: string, region: string) => items.countActive(organizationId, region);
  const publishIdentities = () => identities.run();
  const enrolment = { probes, regions, keys, publishIdentities, directory, natsUrl: options.natsUrl, log };
  const rebalance = () => rebalancer.look();
  const routes = fleetRoutes({
    probes, regions, liveness, publishIdentities, directory, rebalance, countMonitors, enrolment,
  });
  return {
    placement,
    liveness,
    runNow: new RunNow({ placement, items, liveness, directory, bus, sealer }),
    directory,
    routes,
    async stop() {
      await rebalancer.stop();
      await Promise.all([behind.stop(), responder.stop(), liveness.stop(), identities.stop(), directory.stop()]);
    },
  };
}
