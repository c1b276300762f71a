import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Table } from '../ui/table.tsx';
import { DeliveryRow } from './delivery-row.tsx';

const MAX_DELIVERIES = 100;

/** The deliveries of an incident's alerts, with their attempts. */
export function Deliveries({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['incidents', id, 'deliveries'],
    // Attempts follow minutes apart and emit no live events.
    refetchInterval: ({ state }) => (state.data?.notifications.some(({ status }) => status === 'pending') ? 30_000 : false),
    queryFn: () => unwrap(api.GET('/api/incidents/{id}/notifications', { params: { path: { id }, query: { pageSize: MAX_DELIVERIES } } })),
  });
  return (
    <QueryResult query={query}>
      {({ notifications }) => (notifications.length === 0 ? <p class="faint">{texts.noDeliveries}</p> : (
        <Table columns={[texts.status, texts.recipient, texts.attempts, texts.time]}>
          {notifications.map((one) => <DeliveryRow key={one.id} delivery={one} channel={one.channel} />)}
        </Table>
      ))}
    </QueryResult>
  );
}
