import { useQueries, useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { groupOptions, useGroups } from '../live/groups.ts';
import { regionName, useRegions } from '../live/regions.ts';
import { causeTexts as texts } from '../texts/causes.ts';
import { href } from '../ui/link.ts';
import { numberText } from '../ui/time.tsx';

type CauseView = components['schemas']['Cause'];

const REFETCH_INTERVAL_MS = 10_000;
/** The page stays short when hundreds of monitors fail together. */
const MAX_LISTED = 20;

/** What an incident has in common with others, and links to them. */
export function Cause({ id, incidentId }: { id: string; incidentId: string }) {
  const { data } = useQuery({
    queryKey: ['causes', id], refetchInterval: ({ state }) => (state.data?.cause.ended_at ? false : REFETCH_INTERVAL_MS),
    queryFn: () => unwrap(api.GET('/api/causes/{id}', { params: { path: { id } } })),
  });
  if (data === undefined) return null;
  const { cause } = data;
  const others = cause.incident_ids.filter((one) => one !== incidentId);
  return (
    <section class="card" aria-label={texts.cause}>
      <p><strong><Statement cause={cause} /></strong></p>
      {others.length > 0 && <OtherIncidents ids={others} />}
    </section>
  );
}

function Statement({ cause: { kind, value, monitor_ids: monitors } }: { cause: CauseView }) {
  const regions = useRegions();
  const groups = new Map(groupOptions(useGroups()));
  const { data: dependency } = useQuery({
    queryKey: ['monitor', value, 'name'], enabled: kind === 'dependency',
    queryFn: async () => (await unwrap(api.GET('/api/monitors/{id}', { params: { path: { id: value } } }))).monitor.name,
  });
  const names = { dependency, region: regionName(regions, value), group: groups.get(value), certificate: `${value.slice(0, 16)}…` };
  const name = (kind in names ? names[kind as keyof typeof names] : value) ?? value;
  return <>{texts[kind](numberText(monitors.length), name)}</>;
}

function OtherIncidents({ ids }: { ids: string[] }) {
  const found = useQueries({
    queries: ids.slice(0, MAX_LISTED).map((id) => ({
      queryKey: ['incidents', id], queryFn: () => unwrap(api.GET('/api/incidents/{id}', { params: { path: { id } } })),
    })),
  });
  return (
    <details>
      <summary>{texts.others}</summary>
      <ul class="linked-incidents">
        {found.flatMap(({ data }) => (data === undefined ? [] : [
          <li key={data.incident.id}><a href={href(`/incidents/${data.incident.id}`)}>{data.incident.title}</a></li>,
        ]))}
      </ul>
      {ids.length > MAX_LISTED && <p class="hint">{texts.more(numberText(ids.length - MAX_LISTED))}</p>}
    </details>
  );
}
