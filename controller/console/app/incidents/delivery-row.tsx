import type { ComponentChildren } from 'preact';
import type { components } from '../api/openapi.d.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Ago } from '../ui/time.tsx';

const STATES = {
  pending: 'degraded', delivered: 'up', failed: 'down', bounced: 'down', suppressed: 'paused',
} as const;

type Delivery = Omit<components['schemas']['IncidentNotification'], 'incident_id' | 'channel' | 'updated_at'>;

/** One delivery: status, destination and attempts. `event` is placed in a cell after the first one. */
export function DeliveryRow({ delivery, event, channel }: { delivery: Delivery; event?: ComponentChildren; channel?: string }) {
  return (
    <tr>
      <td><span class={`state-badge ${STATES[delivery.status]}`}>{texts[delivery.status]}</span></td>
      {event !== undefined && <td>{event}</td>}
      <td class="line">
        {delivery.recipient}{channel !== undefined && <> <span class="tag">{channel}</span></>}
        {delivery.error_message !== null && <p class="error-text">{delivery.error_message}</p>}
      </td>
      <td data-label={texts.attempts}>{texts.attemptsOf(delivery.retry_count, delivery.max_retries)}</td>
      <td><Ago at={delivery.delivered_at ?? delivery.last_retry_at ?? delivery.created_at} /></td>
    </tr>
  );
}
