import { WorldMap } from '../charts/world-map.tsx';
import { fleetTexts as texts } from '../texts/fleet.ts';
import type { State } from '../ui/state.tsx';
import { sortByUrgency, PROBE_STATES, type Probe, type Region } from './probes.ts';

/** A marker for each region with coordinates; its state is that of its worst probe. */
export function FleetMap({ probes, regions }: { probes: readonly Probe[]; regions: readonly Region[] }) {
  const points = regions.flatMap(({ id, name, lat, lon }) => {
    if (lat === null || lon === null) return [];
    const regionProbes = sortByUrgency(probes.filter(({ region_id: regionId }) => regionId === id));
    const state: State = regionProbes[0] === undefined ? 'unknown' : PROBE_STATES[regionProbes[0].status];
    const label = `${name}: ${regionProbes.map((probe) => `${probe.name} ${texts[probe.status]}`).join(', ') || texts.noProbe}`;
    return [{ id, lat, lon, state, label }];
  });
  if (points.length === 0) return null;
  return <div class="card fleet-map"><WorldMap label={texts.map(points.map(({ label }) => label).join('; '))} points={points} /></div>;
}
