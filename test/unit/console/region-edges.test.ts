import { expect, test } from 'vitest';
import { edgesBetweenRegions } from '../../../controller/console/app/fleet/mesh.ts';
import type { components } from '../../../controller/console/app/api/openapi.d.ts';

type Probe = components['schemas']['Probe'];
type Region = components['schemas']['Region'];
type Edge = Probe['mesh'][number];

const regions = ['a', 'b', 'c'].map((id) => ({ id, name: id.toUpperCase() }) as Region);
const to = (region: string, state: Edge['state']): Edge =>
  ({ probe_id: `in ${region}`, region, state, rtt_ms: null, at: 1 });
const probe = (region: string, mesh: Edge[]) => ({ id: `of ${region}`, region_id: region, mesh }) as Probe;
const edges = (...probes: Probe[]) => edgesBetweenRegions(probes, regions)
  .map(({ ends: [one, other], state }) => `${one.name}–${other.name} ${state}`);

test('the edges between two regions are one, in the worst state of either direction that is known', () => {
  expect(edges(probe('a', [to('b', 'ok')]), probe('b', [to('a', 'broken')]), probe('c', [to('b', 'ok')])))
    .toEqual(['A–B broken', 'B–C ok']);
  expect(edges(probe('b', [to('a', 'unknown')]), probe('a', [to('b', 'ok')]))).toEqual(['A–B ok']);
  expect(edges(probe('b', [to('a', 'unknown')]))).toEqual(['A–B unknown']);
});

test('edges within a region, and to one that is not known here, are left out', () => {
  expect(edges(probe('a', [to('a', 'ok'), to('elsewhere', 'ok')]), probe('elsewhere', [to('a', 'ok')]))).toEqual([]);
});
