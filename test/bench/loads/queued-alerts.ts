import { loadControllerConfig } from '../../../controller/config.ts';
import { openNotifications } from '../../../controller/wiring/notifications.ts';
import { openStores } from '../../../controller/wiring/stores.ts';
import { ALERT_EVENTS, type DestinationDoc } from '../../../controller/destinations/destination.ts';
import { createResolver } from '../../../controller/platform/outbound/resolver.ts';
import { openMongo } from '../../../controller/platform/mongo/mongo.ts';
import { Peers } from '../../../controller/work/peers.ts';
import { newId } from '../../../shared/ids.ts';
import { createLog } from '../../../shared/log.ts';
import { systemClock } from '../../../shared/time.ts';
import { alertOf, monitorConfig, TENANT } from '../../helpers/delivery-rig.ts';
import { OwnersBus } from '../../helpers/owners-bus.ts';
import { shardMap } from '../../helpers/shard-map.ts';

interface QueuedOptions {
  url: string;
  port: number;
  destinations: number;
  /** Receivers among them that never respond. */
  hanging: number;
  /** Alerts per destination. */
  each: number;
}

/** Destinations per alert: the maximum of a project. */
const PER_ALERT = 100;

/**
 * The product's delivery with a full queue, as after downtime. Resolves when all healthy destinations have their
 * alerts.
 */
export async function queuedAlerts(options: Record<string, unknown>): Promise<{ startedAt: number }> {
  const { url, port, destinations, hanging, each } = options as unknown as QueuedOptions;
  const mongo = openMongo(url);
  const { db } = mongo;
  const config = loadControllerConfig({
    MONGODB_URL: url, NATS_URL: 'nats://127.0.0.1:1', ALLOW_PRIVATE_DESTINATIONS: 'true',
  });
  const log = createLog('bench', 'error');
  const ports = {
    config, mongo, stores: await openStores(db, systemClock, shardMap), bus: new OwnersBus(), clock: systemClock,
    log, random: Math.random,
    resolve: createResolver(systemClock), peers: new Peers(), holder: 'bench',
    ownsShard: () => true, shardMap, baseUrl: () => 'http://127.0.0.1', natsUrl: () => 'http://127.0.0.1',
  };
  const notifications = openNotifications(ports, {
    regions: { named: () => [] },
    accounts: {
      linkKeys: [], acknowledgeKeys: [Buffer.alloc(32)], organizationName: async () => null, notifyOwners: () => undefined,
      operatorOrganizations: async () => [],
    },
    mailer: { send: () => Promise.reject(new Error('no mail here')), close: () => Promise.resolve() },
  });
  const step = hanging === 0 ? Infinity : Math.floor(destinations / hanging);
  const docs = Array.from({ length: destinations }, (_, index) => {
    const address = `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}:${port}`;
    return destinationDoc(`http://${address}/${index % step === step - 1 ? 'hang' : 'well'}/${index}`);
  });
  await db.collection<DestinationDoc>('destinations').insertMany(docs);
  const ids = docs.map((doc) => doc._id);
  for (let first = 0; first < destinations * each; first += PER_ALERT) {
    const at = first % destinations;
    const monitor = monitorConfig({ notification_target_ids: ids.slice(at, at + PER_ALERT) });
    await notifications.alerts.fanOut(alertOf(monitor, newId(Date.now()), { startedAt: Date.now() }));
  }
  const startedAt = performance.timeOrigin + performance.now();
  notifications.start();
  const wanted = (destinations - hanging) * each;
  while (notifications.service.counts.sent < wanted) await new Promise((resolve) => setTimeout(resolve, 20));
  // Hanging attempts are not awaited; exiting closes them.
  return { startedAt };
}

function destinationDoc(url: string): DestinationDoc {
  const now = Date.now();
  return {
    _id: newId(
      now,
    ), organization_id: TENANT.organizationId, project_id: TENANT.projectId, created_by: 'u', name: 'hook', enabled: true, is_default: false,
    events: [...ALERT_EVENTS], type: 'webhook', config: { url, method: 'POST', headers: [] },
    secret: 'whsec_bench', revision: 1, created_at: now, updated_at: now,
  };
}
