import type { ComponentChildren } from 'preact';
import type { components } from '../api/openapi.d.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Ago } from '../ui/time.tsx';

const STATES = { pending: 'degraded', delivered: 'up', failed: 'down', bounced: 'down' } as const;

type Delivery = Omit<components['schemas']['IncidentNotification'], 'incident_id' | 'channel' | 'updated_at'>;

/** What became of one alert, whom it was for, and what it took. `event`: a cell after the first one. */
export function DeliveryRow({ of: one, event, channel }: { of: Delivery; event?: ComponentChildren; channel?: string }) {
  return (
    <tr>
      <td><span class={`state-badge ${STATES[one.status]}`}>{texts[one.status]}</span></td>
      {event !== undefined && <td>{event}</td>}
      <td class="line">
        {one.recipient}{channel !== undefined && <> <span class="tag">{channel}</span></>}
        {one.error_message !== null && <p class="error-text">{one.error_message}</p>}
      </td>
      <td data-label={texts.attempts}>{texts.tries(one.retry_count, one.max_retries)}</td>
      <td><Ago at={one.delivered_at ?? one.last_retry_at ?? one.created_at} /></td>
    </tr>
  );
}
