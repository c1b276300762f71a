import { geoNaturalEarth1Raw } from 'd3-geo';
import { expect, test } from 'vitest';
import { worldMap } from '../../../deploy/console/world.mjs';

const map = await worldMap();

test.each([
  ['Berlin', 52.5, 13.4, true], ['Nairobi', -1.3, 36.8, true], ['Denver', 39.7, -105, true],
  ['Alice Springs', -23.7, 133.9, true], ['the Atlantic', 30, -40, false], ['the Pacific', 0, -150, false],
  ['Antarctica', -80, 0, false],
])('the map knows whether %s is land', (_name, lat, lon, isLand) => {
  const [east, north] = geoNaturalEarth1Raw(lon * Math.PI / 180, lat * Math.PI / 180);
  const place = [map.x + map.scale * east, map.y - map.scale * north] as const;
  expect(ringsOf(map.land).filter((ring) => surrounds(ring, place)).length % 2 === 1).toBe(isLand);
});

test('the map is small', () => {
  expect(map.land.length).toBeLessThan(25_000);
});

type Place = readonly [x: number, y: number];

/** The rings of a path with only `m`, `l` and `z`; `m` is relative to the start of the previous ring. */
function ringsOf(path: string): Place[][] {
  const rings: Place[][] = [];
  let start: Place = [0, 0];
  for (const ring of path.split('z').filter((part) => part !== '')) {
    let at = start;
    const places = [...ring.matchAll(/[ml](-?\d+),(-?\d+)/g)].map(([, x, y]): Place => {
      at = [at[0] + Number(x), at[1] + Number(y)];
      return at;
    });
    start = places[0] as Place;
    rings.push(places);
  }
  return rings;
}

function surrounds(ring: Place[], [x, y]: Place): boolean {
  return ring.reduce((isInside, [x1, y1], at) => {
    const [x2, y2] = ring.at(at - 1) as Place;
    const crosses = (y1 > y) !== (y2 > y) && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1;
    return crosses ? !isInside : isInside;
  }, false);
}
