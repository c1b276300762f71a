import { WorldMap } from '../charts/world-map.tsx';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { href } from '../ui/link.ts';
import { StateBadge, type State } from '../ui/state.tsx';
import { EDGE_STATES, edgesBetweenRegions } from './mesh.ts';
import { sortByUrgency, PROBE_STATES, type Probe, type Region } from './probes.ts';

interface FleetMapProps {
  probes: readonly Probe[];
  regions: readonly Region[];
}

/** A marker for each region with coordinates, in the state of its worst probe, and the paths between regions. */
export function FleetMap({ probes, regions }: FleetMapProps) {
  const points = regions.flatMap(({ id, name, lat, lon }) => {
    if (lat === null || lon === null) return [];
    const regionProbes = sortByUrgency(probes.filter(({ region_id: regionId }) => regionId === id));
    const state: State = regionProbes[0] === undefined ? 'unknown' : PROBE_STATES[regionProbes[0].status];
    const label = `${name}: ${regionProbes.map((probe) => `${probe.name} ${texts[probe.status]}`).join(', ') || texts.noProbe}`;
    return [{ id, lat, lon, state, label }];
  });
  const placed = new Map(points.map((point) => [point.id, point]));
  const lines = edgesBetweenRegions(probes, regions).flatMap(({ id, ends: [one, other], state }) => {
    const [from, to] = [placed.get(one.id), placed.get(other.id)];
    const label = `${one.name} – ${other.name}: ${texts[state]}`;
    return from && to ? [{ id, from, to, state: EDGE_STATES[state], label }] : [];
  });
  const broken = lines.filter(({ state }) => state === 'down');
  const label = texts.map([...points, ...broken].map((one) => one.label).join('; '));
  return (
    <>
      {points.length > 0 && <div class="card fleet-map"><WorldMap label={label} points={points} lines={lines} /></div>}
      <BrokenPaths probes={probes} regions={regions} />
    </>
  );
}

/** As text, whether or not the regions are on the map. */
function BrokenPaths({ probes, regions }: FleetMapProps) {
  const nameOf = new Map(probes.map(({ id, name }) => [id, name]));
  const regionName = (id: string) => regions.find((region) => region.id === id)?.name ?? id;
  const broken = probes.flatMap((from) => from.mesh.filter(({ state }) => state === 'broken').map((edge) => ({ from, edge })));
  if (broken.length === 0) return null;
  return (
    <section class="card" aria-label={texts.brokenPaths}>
      <h2>{texts.brokenPaths}</h2>
      <ul class="broken-paths">
        {broken.map(({ from, edge: { probe_id: toId, region } }) => (
          <li key={`${from.id} ${toId}`}>
            <StateBadge state="down" text={texts.broken} />{' '}
            <a href={href(`/fleet/probes/${from.id}`)}>{from.name}</a> ({regionName(from.region_id)}){' → '}
            <a href={href(`/fleet/probes/${toId}`)}>{nameOf.get(toId) ?? toId}</a> ({regionName(region)})
          </li>
        ))}
      </ul>
    </section>
  );
}
