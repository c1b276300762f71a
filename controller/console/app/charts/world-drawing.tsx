import { geoNaturalEarth1Raw } from 'd3-geo';
import { STATE_SIGNS, type State } from '../ui/state.tsx';
import type { WorldLine, WorldMapProps, WorldPoint } from './world-map.tsx';

/** Built from Natural Earth by deploy/console/world.mjs. */
declare const WORLD: { width: number; height: number; scale: number; x: number; y: number; land: string };

const RADIANS_PER_DEGREE = Math.PI / 180;
/** Later states are drawn on top. */
const DRAW_ORDER = ['up', 'maintenance', 'paused', 'disabled', 'unknown', 'degraded', 'down'];

export function WorldDrawing({ label, points, lines = [] }: WorldMapProps) {
  const sorted = byState(points);
  const hasLinks = points.some(({ to }) => to !== undefined);
  return (
    <svg viewBox={`0 0 ${WORLD.width} ${WORLD.height}`} role={hasLinks ? 'group' : 'img'} aria-label={label}>
      <path class="land" d={WORLD.land} aria-hidden="true" />
      {byState(lines).map((line) => <Line key={line.id} {...line} />)}
      {sorted.map((point) => (
        point.to === undefined
          ? <Mark key={point.id} {...point} />
          : <a key={point.id} href={point.to} aria-label={point.label}><Mark {...point} /></a>
      ))}
    </svg>
  );
}

function byState<T extends { state: State }>(all: readonly T[]): T[] {
  return [...all].sort((one, other) => DRAW_ORDER.indexOf(one.state) - DRAW_ORDER.indexOf(other.state));
}

/** A broken line is dashed and has a sign in its middle, so that color is not the only cue. */
function Line({ from, to, state, label }: WorldLine) {
  const [[x1, y1], [x2, y2]] = [positionOf(from), positionOf(to)];
  return (
    <g class={`line ${state}`}>
      <title>{label}</title>
      <path d={`M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`} />
      {state === 'down' && (
        <text x={((x1 + x2) / 2).toFixed(1)} y={((y1 + y2) / 2 + 4).toFixed(1)} aria-hidden="true">{STATE_SIGNS.down}</text>
      )}
    </g>
  );
}

function positionOf({ lat, lon }: Pick<WorldPoint, 'lat' | 'lon'>): [x: number, y: number] {
  const [east, north] = geoNaturalEarth1Raw(lon * RADIANS_PER_DEGREE, lat * RADIANS_PER_DEGREE);
  return [WORLD.x + WORLD.scale * east, WORLD.y - WORLD.scale * north];
}

function Mark({ lat, lon, state, label }: WorldPoint) {
  const [x, y] = positionOf({ lat, lon });
  const transform = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  return (
    <g class={`mark ${state}`} transform={transform}>
      <title>{label}</title>
      <g><circle r="9" /><text y="4" aria-hidden="true">{STATE_SIGNS[state]}</text></g>
    </g>
  );
}
