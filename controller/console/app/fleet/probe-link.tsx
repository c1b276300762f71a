import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { href } from '../ui/link.ts';

/** A link to a probe. Shows the id while the name is loading or if the probe was deleted. */
export function ProbeLink({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['fleet', 'probes'], staleTime: 60_000, queryFn: () => unwrap(api.GET('/api/probes')),
  });
  const name = data?.probes.find((probe) => probe.id === id)?.name;
  return name === undefined ? <code>{id}</code> : <a href={href(`/fleet/probes/${id}`)}>{name}</a>;
}
