import { SHARD_COUNT } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { FailingCount } from '../delivery/failing-count.ts';
import { FanOut } from '../delivery/fan-out.ts';
import type { RegionNaming } from '../delivery/ports.ts';
import { QueueStore } from '../delivery/queue-store.ts';
import { sendSample } from '../delivery/senders/sample.ts';
import { sendAlert } from '../delivery/senders/send-alert.ts';
import { DeliveryService } from '../delivery/service.ts';
import { DeliveryStore } from '../delivery/store.ts';
import type { DeliverySide } from '../destinations/ports.ts';
import { destinationRoutes } from '../destinations/routes.ts';
import { DestinationStore } from '../destinations/store.ts';
import type { Route } from '../http/route.ts';
import type { NotificationLog } from '../incidents/ports.ts';
import type { IncidentStore } from '../incidents/store.ts';
import { createAddressVetting } from '../platform/outbound/address-vetting.ts';
import type { Mailer } from '../platform/mail/mailer-port.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';
import type { Poster } from '../platform/outbound/poster-port.ts';
import { HttpPoster } from '../platform/outbound/poster.ts';
import { createResolver } from '../platform/outbound/resolver.ts';
import type { AlertsPort } from '../verdicts/effect.ts';

/** Tries that are under way at a stop get this long to end, ms. */
const STOP_WITHIN_MS = 3000;

export interface NotificationsOptions {
  db: Mongo['db'];
  allowPrivate: boolean;
  /** Told of what has reached its receiver. */
  incidents: Pick<IncidentStore, 'markNotified'>;
  /** Whether this controller serves the destinations of a shard. */
  ownsShard(shard: number): boolean;
  /** Tells other controllers that something waits for these destinations. */
  announce(destinationIds: string[]): void;
  mailer: Mailer;
  /** Under which names people know regions. */
  regions: RegionNaming;
  /** Of links, without a slash at its end. */
  baseUrl(): string;
  clock: Clock;
  log: Log;
  random(): number;
}

export interface Notifications {
  routes: Route[];
  alerts: AlertsPort;
  /** The notification log of incidents. */
  log: NotificationLog;
  destinations: DestinationStore;
  service: DeliveryService;
  failing: FailingCount;
  poster: Poster;
  start(): void;
  stop(): Promise<void>;
}

/** Destinations and the sending, put together. */
export async function openNotifications(options: NotificationsOptions): Promise<Notifications> {
  const { db, clock, log, incidents } = options;
  const destinations = new DestinationStore(db);
  const deliveries = new DeliveryStore(db);
  const queues = new QueueStore(db);
  await Promise.all([destinations, deliveries, queues].map((store) => store.ensureIndexes()));
  const vetting = createAddressVetting({ resolve: createResolver(), allowPrivate: options.allowPrivate, clock });
  const poster = new HttpPoster({ clock, vetting });
  const sending = { poster, mailer: options.mailer, destinations, clock, baseUrl: options.baseUrl };
  const service = new DeliveryService({
    attempt: {
      deliveries, health: queues, destinations, incidents, clock, random: options.random,
      send: (destination, alert, context) => sendAlert(sending, destination, alert, context),
      onFailing: ({ _id }, reason) => log.warn({ destination_id: _id, reason }, 'a destination has begun to fail'),
    },
    pending: (id, limit) => deliveries.pending(id, limit),
    due: (shards, now, limit) => queues.due(shards, now, limit),
    removeOlder: (before, limit) => deliveries.removeOlder(before, limit),
    queues, ownsShard: options.ownsShard, clock, log,
  });
  const failing = new FailingCount(() => {
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter((shard) => options.ownsShard(shard));
    return shards.length === 0 ? Promise.resolve(0) : queues.countFailing(shards);
  }, clock);
  const alerts = new FanOut({
    destinations, deliveries, queues, clock, regions: options.regions,
    notify: (ids) => {
      service.wake(ids);
      options.announce(ids);
    },
  });
  const deliverySide: DeliverySide = {
    sendSample: (destination) => sendSample(sending, destination),
    health: (ids) => queues.health(ids),
    destinationChanged: (id) => queues.clearFailures(id),
    destinationGone: async (id) => {
      await queues.bury(id, clock.now());
      service.wake([id]);
    },
  };
  return {
    routes: destinationRoutes({ destinations, vetting, deliveries: deliverySide }),
    alerts, log: deliveries, destinations, service, failing, poster,
    start: () => {
      service.start();
      failing.start();
    },
    stop: async () => {
      await Promise.all([failing.stop(), service.stop(STOP_WITHIN_MS)]);
      await poster.close();
    },
  };
}
