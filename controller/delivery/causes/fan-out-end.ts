import { derivedId } from '../../../shared/ids.ts';
import type { Clock } from '../../../shared/time.ts';
import type { CauseDoc } from '../../causes/cause.ts';
import type { AlertDetails } from '../../destinations/channels/alert.ts';
import type { DestinationDoc } from '../../destinations/destination.ts';
import { holdOf, subscribed, unsent } from '../delivery-rules.ts';
import type { DeliveryDoc } from '../delivery.ts';
import type { QueueStore } from '../queue-store.ts';
import type { DeliveryStore } from '../store.ts';
import type { ThreadDoc, ThreadStore } from './thread-store.ts';

interface EndDeps {
  threads: Pick<ThreadStore, 'ofCause'>;
  deliveries: Pick<DeliveryStore, 'find' | 'insertAbsent'>;
  destinations: { findById(id: string): Promise<DestinationDoc | null> };
  queues: Pick<QueueStore, 'wake'>;
  /** Notifies the controllers that serve these destinations. The message may get lost. */
  notify(destinationIds: string[]): void;
  clock: Clock;
}

/** Queues the end of a cause for everybody who was notified of it as a whole. May be repeated. */
export async function fanOutEnd(deps: EndDeps, cause: CauseDoc): Promise<void> {
  const { threads, deliveries, destinations, queues, notify, clock } = deps;
  const now = clock.now();
  for (const thread of await threads.ofCause(cause._id)) {
    const destination = await destinations.findById(thread.destination_id);
    const first = await deliveries.find(thread.first_id);
    if (destination === null || first === null) continue;
    const end = endOf(thread, first, cause, destination, now);
    if (subscribed([destination], end.alert as { event: 'monitor.up' }).length === 0) continue;
    await deliveries.insertAbsent([end]);
    await queues.wake([destination], now);
    notify([destination._id]);
  }
}

/** Part of the thread, so that it is sent with everything that the recipient does not know yet. */
function endOf(
  thread: ThreadDoc, { held: _held, cause: place, ...first }: DeliveryDoc, cause: CauseDoc,
  destination: DestinationDoc, now: number,
): DeliveryDoc {
  const { ended_at } = cause;
  const incident = first.alert.incident && { ...first.alert.incident, resolved_at: ended_at };
  const _id = derivedId(thread._id, 'end', ended_at ?? 0);
  const alert: AlertDetails = { ...first.alert, id: _id, event: 'monitor.up', at: ended_at ?? now, incident };
  const hold = holdOf(destination, alert, now);
  const digest_at = hold === null || hold === 'never' ? now : hold.until;
  const { features = [], started_at = cause.started_at } = place ?? {};
  return {
    ...first, ...unsent(now, digest_at), _id, alert, queued_at: now,
    digest_id: thread._id, digest_at, cause: { id: cause._id, features, started_at },
  };
}
