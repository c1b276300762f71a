import { regionName, useRegions } from '../live/regions.ts';
import { WorldMap, type WorldPoint } from '../charts/world-map.tsx';
import { ProbeLink } from '../fleet/probe-link.tsx';
import { monitorTexts } from '../texts/monitor.ts';
import { shellTexts } from '../texts/shell.ts';
import { QueryResult } from '../ui/loading.tsx';
import { reasonText } from '../ui/reason-text.ts';
import { StateBadge, stateText } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';
import { Ago, msText } from '../ui/time.tsx';
import { useRegionStatuses, type RegionStatus } from './monitor-queries.ts';

const WORST_FIRST = ['down', 'degraded', 'unknown', 'up'];

/** The monitor's status in each region with its reason, worst first. */
export function RegionTable({ id }: { id: string }) {
  const query = useRegionStatuses(id);
  const regions = useRegions();
  return (
    <QueryResult query={query} lines={3}>
      {({ regions: seen }) => (
        <Table
          label={monitorTexts.regions}
          columns={[monitorTexts.region, monitorTexts.state, { number: monitorTexts.time }, monitorTexts.lastCheck]}
        >
          {[...seen].sort(byState).map((one) => (
            <tr key={one.region}>
              <th scope="row" class="line">
                {regionName(regions, one.region)}
                <span class="faint small block">{placeOf(regions.get(one.region))}</span>
                {one.probe_id !== null && <span class="small block"><ProbeLink id={one.probe_id} /></span>}
              </th>
              <td>
                <StateBadge state={one.status} />
                {one.reason !== null && <span class="small block">{reasonText(one.reason)}</span>}
              </td>
              <td class="number" data-label={monitorTexts.time}>{one.response_time_ms === null ? '–' : msText(one.response_time_ms)}</td>
              <td data-label={monitorTexts.lastCheck}>
                {one.last_check_at === null ? shellTexts.unknown : <Ago at={one.last_check_at} />}
              </td>
            </tr>
          ))}
          {seen.length === 0 && <tr><td colSpan={4}>{monitorTexts.noRegion}</td></tr>}
        </Table>
      )}
    </QueryResult>
  );
}

/** The same on a map, for regions with coordinates. */
export function RegionMap({ id }: { id: string }) {
  const { data } = useRegionStatuses(id);
  const regions = useRegions();
  const points = (data?.regions ?? []).flatMap((regionStatus): WorldPoint[] => {
    const { lat = null, lon = null, name = '' } = regions.get(regionStatus.region) ?? {};
    if (lat === null || lon === null) return [];
    return [{ id: regionStatus.region, lat, lon, state: regionStatus.status, label: labelOf(name, regionStatus) }];
  });
  if (points.length === 0) return null;
  return <div class="card map-card"><WorldMap label={monitorTexts.mapLabel(points.map(({ label }) => label).join('; '))} points={points} /></div>;
}

function labelOf(name: string, { status, response_time_ms: ms, reason }: RegionStatus): string {
  const why = reason === null ? [] : [reasonText(reason)];
  return [`${name}: ${stateText(status)}`, ...ms === null ? [] : [msText(ms)], ...why].join(', ');
}

function byState(one: RegionStatus, other: RegionStatus): number {
  return WORST_FIRST.indexOf(one.status) - WORST_FIRST.indexOf(other.status) || (one.region < other.region ? -1 : 1);
}

function placeOf(region: { city: string; country: string } | undefined): string {
  return [region?.city, region?.country].filter(Boolean).join(', ');
}
