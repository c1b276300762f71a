import { shardOf } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { DeliverySide, DestinationHealth } from '../destinations/ports.ts';
import type { Poster } from '../platform/poster-port.ts';
import type { AlertsPort } from '../results/ports.ts';
import type { AttemptDeps } from './attempt.ts';
import { FanOut, type FanOutDeps } from './fan-out.ts';
import type { NotifiedIncidents } from './ports.ts';
import { sendSample } from './samples.ts';
import { WebhookSender } from './senders/webhook.ts';
import { DeliveryService, type DeliveryServiceDeps } from './service.ts';
import { targetReader, type DestinationSource } from './targets.ts';

export interface DeliveryParts {
  alerts: AlertsPort;
  service: DeliveryService;
  /** For the destinations' verbs. */
  side: DeliverySide;
}

export interface DeliveryPartsDeps {
  deliveries: FanOutDeps['deliveries'] & AttemptDeps['deliveries'] & { pending: DeliveryServiceDeps['pending'] };
  queues: FanOutDeps['queues'] & AttemptDeps['health'] & DeliveryServiceDeps['queues'] & {
    due: DeliveryServiceDeps['due'];
    rouse(id: string, now: number): Promise<void>;
    health(ids: string[]): Promise<Map<string, DestinationHealth>>;
  };
  destinations: DestinationSource;
  incidents: NotifiedIncidents;
  poster: Poster;
  ownsShard(shard: number): boolean;
  /** Tells the controller that serves a shard that one of its destinations has something due; may be lost. */
  pokeShard(shard: number): void;
  clock: Clock;
  log: Log;
  /** In [0, 1). */
  random(): number;
}

/** Puts the delivery together over its collections and the way out. */
export function deliveryParts(deps: DeliveryPartsDeps): DeliveryParts {
  const { deliveries, queues, incidents, poster, ownsShard, pokeShard, clock, log, random } = deps;
  const targets = targetReader(deps.destinations);
  const senders = { webhook: new WebhookSender({ poster, targets, clock }) };
  const onFailing: AttemptDeps['onFailing'] = (target, reason) =>
    log.warn({ destination_id: target.id, organization_id: target.organizationId, reason }, 'a destination has begun to fail');
  const service = new DeliveryService({
    attempt: { deliveries, health: queues, targets, incidents, senders, clock, random, onFailing },
    pending: (id, limit) => deliveries.pending(id, limit),
    due: (shards, now, limit) => queues.due(shards, now, limit),
    queues, ownsShard, clock, log,
  });
  const notify = (ids: string[]) => {
    service.wake(ids);
    for (const shard of new Set(ids.map(shardOf))) if (!ownsShard(shard)) pokeShard(shard);
  };
  return {
    alerts: new FanOut({ targets, deliveries, queues, notify, clock }),
    service,
    side: {
      sendSample: (destination) => sendSample({ senders, clock }, destination),
      health: (ids) => queues.health(ids),
      destinationGone: async (id) => {
        await queues.rouse(id, clock.now());
        notify([id]);
      },
    },
  };
}
