import { derivedId } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import type { Alert } from '../verdicts/effect.ts';
import type { AlertsPort } from '../results/shards/derived-writer.ts';
import type { AlertSnapshot, DeliveryDoc } from './delivery.ts';
import { subscribed } from './fan-out-rules.ts';
import type { RegionNaming, Target, TargetReader } from './ports.ts';
import type { QueueOwner } from './queue-store.ts';
import { recipientsOf } from './recipient-rules.ts';
import { MAX_RETRIES } from './retry-rules.ts';

export interface FanOutDeps {
  targets: Pick<TargetReader, 'named' | 'defaults'>;
  deliveries: { insertAbsent(docs: DeliveryDoc[]): Promise<void> };
  queues: { wake(owners: QueueOwner[], now: number): Promise<void> };
  regions: RegionNaming;
  /** Tells whoever serves these destinations that there is something to do; may be lost. */
  notify(destinationIds: string[]): void;
  clock: Clock;
}

/** Turns an alert into a delivery for each destination concerned. Each call may be repeated, also after a crash half-way. */
export class FanOut implements AlertsPort {
  readonly #deps: FanOutDeps;
  #lastQueuedAt = 0;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
  }

  async fanOut(alert: Alert): Promise<void> {
    const { deliveries, queues, regions, notify, clock } = this.#deps;
    const told = subscribed(await this.#concerned(alert), alert);
    if (told.length === 0) return;
    const now = clock.now();
    const queuedAt = this.#nextQueuedAt(now);
    await deliveries.insertAbsent(told.flatMap((target) => newDeliveries(snapshotOf(alert, regions), target, now, queuedAt)));
    // After the deliveries: a queue that is woken first could be found empty.
    await queues.wake(told, now);
    notify(told.map((target) => target.id));
  }

  /** A monitor whose named destinations are all deleted tells the default ones, since silence would be worse. */
  async #concerned({ monitor }: Alert): Promise<Target[]> {
    const tenant = { organizationId: monitor.organization_id, projectId: monitor.project_id };
    const ids = monitor.notification_target_ids;
    const named = ids.length > 0 ? await this.#deps.targets.named(tenant, ids) : [];
    return named.length > 0 ? named : this.#deps.targets.defaults(tenant);
  }

  /** Strictly rising, so that two alerts of one millisecond keep their order; also when the clock is set back. */
  #nextQueuedAt(now: number): number {
    this.#lastQueuedAt = Math.max(now, this.#lastQueuedAt + 1);
    return this.#lastQueuedAt;
  }
}

function snapshotOf(alert: Alert, regions: RegionNaming): AlertSnapshot {
  const { monitor_id, name, target, type } = alert.monitor;
  return {
    id: alert.id, event: alert.event, monitor: { id: monitor_id, name, target, type }, incident: alert.incident, error: alert.error,
    regions: regions.named(alert.regions), last_success: alert.last_success ?? null, at: alert.at,
    ...(alert.expiry ? { expiry: alert.expiry } : {}), ...(alert.flapping ? { flapping: alert.flapping } : {}),
  };
}

/** One for each recipient. A repetition makes the same ids. */
function newDeliveries(alert: AlertSnapshot, target: Target, now: number, queuedAt: number): DeliveryDoc[] {
  return recipientsOf(target).map((recipient) => ({
    _id: target.type === 'email' ? derivedId(alert.id, target.id, recipient) : derivedId(alert.id, target.id),
    organization_id: target.organizationId,
    project_id: target.projectId,
    destination_id: target.id,
    monitor_id: alert.monitor.id,
    incident_id: alert.incident?.id ?? null,
    alert,
    channel: target.type,
    recipient,
    status: 'pending',
    attempts: 0,
    retry_count: 0,
    max_retries: MAX_RETRIES,
    next_attempt_at: now,
    claim: null,
    queued_at: queuedAt,
    delivered_at: null,
    last_retry_at: null,
    error_message: null,
    created_at: now,
    updated_at: now,
  }));
}
