import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { canAdminister, me } from '../api/session.ts';
import { useLiveEvent } from '../live/live-stream.ts';
import type { State } from '../ui/state.tsx';

export type Probe = components['schemas']['Probe'];
export type Region = components['schemas']['Region'];

/** Load and lateness change with each beat, without a live event. */
const REFETCH_INTERVAL_MS = 30_000;

export function useProbes({ every = REFETCH_INTERVAL_MS } = {}) {
  useLiveEvent('probe', () => void invalidateFleet());
  return useQuery({ queryKey: ['fleet', 'probes'], refetchInterval: every, queryFn: () => unwrap(api.GET('/api/probes')) });
}

export function invalidateFleet(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['fleet'] });
}

/** Whether the user may change probes in this region. */
export function canManageRegion(region: Region | undefined): boolean {
  if (me.value?.user.is_operator === true) return true;
  return region?.visibility === 'private' && canAdminister.value;
}

/** The state whose icon stands for a probe's status. */
export const PROBE_STATES: Record<Probe['status'], State> = {
  online: 'up', offline: 'down', quarantined: 'degraded', draining: 'maintenance', enrolling: 'unknown',
};

/** Problems come first. */
const ORDER: readonly Probe['status'][] = ['quarantined', 'offline', 'draining', 'enrolling', 'online'];

export function sortByUrgency(probes: readonly Probe[]): Probe[] {
  const rank = ({ status }: Probe) => ORDER.indexOf(status);
  return [...probes].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}
