import { geoNaturalEarth1Raw } from 'd3-geo';
import { STATE_SIGNS } from '../ui/state.tsx';
import type { WorldMapProps, WorldPoint } from './world-map.tsx';

/** Built from Natural Earth by deploy/console/world.mjs. */
declare const WORLD: { width: number; height: number; scale: number; x: number; y: number; land: string };

const RADIANS_PER_DEGREE = Math.PI / 180;
/** Later states are drawn on top. */
const DRAW_ORDER = ['up', 'maintenance', 'paused', 'disabled', 'unknown', 'degraded', 'down'];

export function WorldDrawing({ label, points }: WorldMapProps) {
  const sorted = [...points].sort((one, other) => DRAW_ORDER.indexOf(one.state) - DRAW_ORDER.indexOf(other.state));
  const hasLinks = points.some(({ to }) => to !== undefined);
  return (
    <svg viewBox={`0 0 ${WORLD.width} ${WORLD.height}`} role={hasLinks ? 'group' : 'img'} aria-label={label}>
      <path class="land" d={WORLD.land} aria-hidden="true" />
      {sorted.map((point) => (
        point.to === undefined
          ? <Mark key={point.id} {...point} />
          : <a key={point.id} href={point.to} aria-label={point.label}><Mark {...point} /></a>
      ))}
    </svg>
  );
}

function Mark({ lat, lon, state, label }: WorldPoint) {
  const [east, north] = geoNaturalEarth1Raw(lon * RADIANS_PER_DEGREE, lat * RADIANS_PER_DEGREE);
  const transform = `translate(${(WORLD.x + WORLD.scale * east).toFixed(1)} ${(WORLD.y - WORLD.scale * north).toFixed(1)})`;
  return (
    <g class={`mark ${state}`} transform={transform}>
      <title>{label}</title>
      <g><circle r="9" /><text y="4" aria-hidden="true">{STATE_SIGNS[state]}</text></g>
    </g>
  );
}
