import { useQuery } from '@tanstack/preact-query';
import { answer, api } from '../api/client.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Shown } from '../ui/loading.tsx';
import { Ago } from '../ui/time.tsx';

const STATES = { pending: 'degraded', delivered: 'up', failed: 'down', bounced: 'down' } as const;
const MOST = 100;

/** Whom the alerts of an incident reached, and what it took. */
export function Deliveries({ id }: { id: string }) {
  const read = useQuery({
    queryKey: ['incidents', id, 'deliveries'],
    // Attempts follow by the minute, and no event tells of them.
    refetchInterval: ({ state }) => (state.data?.notifications.some(({ status }) => status === 'pending') ? 30_000 : false),
    queryFn: () => answer(api.GET('/api/incidents/{id}/notifications', { params: { path: { id }, query: { pageSize: MOST } } })),
  });
  return (
    <Shown of={read}>
      {({ notifications }) => (notifications.length === 0 ? <p class="faint">{texts.noDeliveries}</p> : (
        <div class="table-wrap">
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.status}</th><th scope="col">{texts.recipient}</th>
                <th scope="col">{texts.attempts}</th><th scope="col">{texts.at}</th>
              </tr>
            </thead>
            <tbody>
              {notifications.map((one) => (
                <tr key={one.id}>
                  <td><span class={`state-badge ${STATES[one.status]}`}>{texts[one.status]}</span></td>
                  <td>{one.recipient} <span class="tag">{one.channel}</span>{one.error_message !== null && <p class="error-text">{one.error_message}</p>}</td>
                  <td>{texts.tries(one.retry_count, one.max_retries)}</td>
                  <td><Ago at={one.delivered_at ?? one.last_retry_at ?? one.created_at} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </Shown>
  );
}
