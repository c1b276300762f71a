import { readFile } from 'node:fs/promises';
import { geoNaturalEarth1, geoPath } from 'd3-geo';
import { merge } from 'topojson-client';

const WIDTH = 960;
const ANTARCTICA = '010';

/**
 * A world map from Natural Earth's countries, in whole units: `{ width, height, scale, x, y, land }`. `land`
 * is the outline of all land but Antarctica as an SVG path. A raw `geoNaturalEarth1Raw` projection `[east,
 * north]` lies at `x + scale * east`, `y - scale * north`.
 */
export async function worldMap() {
  const file = new URL(import.meta.resolve('world-atlas/countries-110m.json'));
  const atlas = JSON.parse(await readFile(file, 'utf8'));
  const land = merge(atlas, atlas.objects.countries.geometries.filter(({ id }) => id !== ANTARCTICA));
  const projection = geoNaturalEarth1().precision(0).fitWidth(WIDTH, land);
  const [x, y] = projection.translate();
  const height = Math.ceil(geoPath(projection).bounds(land)[1][1]);
  const pen = relativePen();
  geoPath(projection, pen)(land);
  return { width: WIDTH, height, scale: projection.scale(), x, y, land: pen.path() };
}

/** Draws in relative whole units, which halves the path's length, and omits specks. */
function relativePen() {
  const rings = [];
  let [ring, from] = [[], [0, 0]];
  const add = (x, y) => {
    const [point, last] = [[Math.round(x), Math.round(y)], ring.at(-1)];
    if (last === undefined || point[0] !== last[0] || point[1] !== last[1]) ring.push(point);
  };
  return {
    moveTo: (x, y) => {
      ring = [];
      add(x, y);
    },
    lineTo: add,
    closePath: () => {
      if (ring.length < 3) return;
      const steps = ring.map(([x, y], at) => {
        const [fromX, fromY] = at === 0 ? from : ring[at - 1];
        return `${at === 0 ? 'm' : 'l'}${x - fromX},${y - fromY}`;
      });
      rings.push(`${steps.join('')}z`);
      [from] = ring;
    },
    path: () => rings.join(''),
  };
}
