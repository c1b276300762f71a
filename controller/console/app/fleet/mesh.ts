import type { components } from '../api/openapi.d.ts';

type Probe = components['schemas']['Probe'];
type Region = components['schemas']['Region'];

type Edge = Probe['mesh'][number];

/** The state whose icon stands for an edge's state. */
export const EDGE_STATES: Record<Edge['state'], 'up' | 'down' | 'unknown'> = { ok: 'up', broken: 'down', unknown: 'unknown' };

/** Worst first. */
const ORDER: readonly Edge['state'][] = ['broken', 'ok', 'unknown'];

/** All edges between two regions, in either direction, as one. */
interface RegionEdge {
  id: string;
  ends: [Region, Region];
  state: Edge['state'];
}

/** One per pair of regions, with the worst state that is known, in order of id. */
export function edgesBetweenRegions(probes: readonly Probe[], regions: readonly Region[]): RegionEdge[] {
  const regionOf = new Map(regions.map((region) => [region.id, region]));
  const found = new Map<string, RegionEdge>();
  for (const { region_id: fromId, mesh } of probes) {
    for (const { region: toId, state } of mesh) {
      const [first, second] = [fromId, toId].sort().map((id) => regionOf.get(id));
      if (!first || !second || first === second) continue;
      const id = `${first.id} ${second.id}`;
      const known = found.get(id);
      const isWorse = known === undefined || ORDER.indexOf(state) < ORDER.indexOf(known.state);
      if (isWorse) found.set(id, { id, ends: [first, second], state });
    }
  }
  return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
