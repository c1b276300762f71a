import { derivedId } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import { incidentState } from '../destinations/channels/incident-state.ts';
import type { IncidentEvent } from '../destinations/channels/alert.ts';
import { TRACKING_TYPES } from '../destinations/channels/registry.ts';
import type { DeliveryDoc } from './delivery.ts';
import { unsent } from './delivery-rules.ts';
import type { QueueStore } from './queue-store.ts';
import type { DeliveryStore } from './store.ts';

interface IncidentFanOutDeps {
  deliveries: Pick<DeliveryStore, 'openings' | 'insertAbsent'>;
  queues: Pick<QueueStore, 'wake'>;
  /** Notifies the controllers that serve these destinations. The message may get lost. */
  notify(destinationIds: string[]): void;
  clock: Clock;
}

/** `resolved_at`: Unix ms; null unless resolved. */
interface ChangedIncident {
  _id: string;
  resolved_at: number | null;
}

/**
 * Queues what a person did to an incident for the destinations that track incidents and got its alert. Calls
 * are idempotent.
 */
export async function fanOutIncidentEvent(
  { deliveries, queues, notify, clock }: IncidentFanOutDeps, event: IncidentEvent, incident: ChangedIncident,
): Promise<void> {
  const now = clock.now();
  const openings = await deliveries.openings([incident._id], { channel: { $in: TRACKING_TYPES } });
  const followUps = openings.filter(({ alert }) => incidentState(alert).state === 'open')
    .map((opening) => followUp(opening, event, incident, now));
  if (followUps.length === 0) return;
  await deliveries.insertAbsent(followUps);
  const destinations = followUps.map(({ destination_id: _id, organization_id, project_id }) => (
    { _id, organization_id, project_id }
  ));
  await queues.wake(destinations, now);
  notify(destinations.map(({ _id }) => _id));
}

/** Repeats the opening alert, because receivers recognize it by its contents. */
function followUp(
  { alert, held: _held, ...opening }: DeliveryDoc, event: IncidentEvent, { resolved_at }: ChangedIncident,
  now: number,
): DeliveryDoc {
  const openedBy = alert.event as NonNullable<typeof alert.opened_by>;
  return {
    ...opening, ...unsent(now), _id: derivedId(opening._id, event),
    alert: {
      ...alert, id: derivedId(alert.id, event), event, at: now,
      opened_by: openedBy,
      incident: alert.incident && { ...alert.incident, resolved_at },
    },
    queued_at: now,
  };
}
