import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { DeliveryRow } from '../incidents/delivery-row.tsx';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { EVENT_GROUPS } from './draft.ts';

/** Attempts follow minutes apart and emit no live events. */
const REFETCH_INTERVAL_MS = 30_000;

const EVENTS = [...Object.values(EVENT_GROUPS).flat(), 'incident.acknowledged', 'incident.resolved'] as const;

/** The form's name for an event; the API's name if the form has none. */
function eventText(event: string): string {
  const match = EVENTS.find((one) => one === event);
  return match === undefined ? event : texts[match];
}

export function RecentDeliveries({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['destinations', id, 'deliveries'], refetchInterval: REFETCH_INTERVAL_MS,
    queryFn: () => unwrap(api.GET('/api/integrations/{id}/deliveries', { params: { path: { id } } })),
  });
  return (
    <Section title={texts.recentDeliveries}>
      <QueryResult query={query}>
        {({ deliveries }) => (deliveries.length === 0 ? <p class="faint">{texts.nothingSent}</p> : (
          <Table columns={[texts.outcome, texts.event, texts.recipient, texts.attempts, texts.when]}>
            {deliveries.map((one) => (
              <DeliveryRow
                key={one.id} delivery={one}
                event={one.incident_id === null ? eventText(one.event) : <a href={href(`/incidents/${one.incident_id}`)}>{eventText(one.event)}</a>}
              />
            ))}
          </Table>
        ))}
      </QueryResult>
    </Section>
  );
}
