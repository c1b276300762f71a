import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { Mesh } from '../../../controller/probes/mesh.ts';
import type { EdgeTrack } from '../../../controller/probes/mesh-rules.ts';
import type { EnrolledProbe, ProbeDoc } from '../../../controller/probes/probe.ts';
import type { BeatTrack } from '../../../controller/probes/rules.ts';
import type { MeshReport } from '../../../shared/contracts/mesh.ts';
import { BARE_PROBE } from '../../helpers/bare-probe.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const RUN_MS = 10_000;
const HOUR_MS = 3_600_000;

let clock: SimulatedClock;
let probes: Map<string, ProbeDoc>;
let reports: Map<string, MeshReport>;
let edges: Map<string, EdgeTrack[]>;
let offline: Set<string>;
let silentMs: number;
let owned: Set<string>;
let orders: string[];
/** Probes that ignore their orders. */
let deaf: Set<string>;
let mesh: Mesh;

const isLive = ({ _id: id }: ProbeDoc) => !offline.has(id);

beforeEach(() => {
  clock = new SimulatedClock();
  [probes, reports, edges] = [new Map(), new Map(), new Map()];
  [offline, deaf, owned] = [new Set(), new Set(), new Set(['a', 'b', 'c'])];
  silentMs = 0;
  orders = [];
  mesh = new Mesh({
    clock, log: pino({ level: 'silent' }), allowPrivate: false, owns: (region) => owned.has(region),
    directory: {
      probes: () => probes.values(),
      enrolled: (id) => (probes.get(id) as EnrolledProbe | undefined) ?? null,
    },
    liveness: {
      isLive, edgesFrom: (id) => edges.get(id) ?? [], silentMs: (probe) => (isLive(probe) ? 0 : silentMs),
      track: (id) => {
        const report = reports.get(id);
        return report ? { beat: { mesh: report } } as BeatTrack : null;
      },
    },
    send: ({ _id: id }, { mesh: { version, peers } }) => {
      orders.push(`${id}: ${peers.map(({ probe_id: peer }) => peer).join(' ')}`);
      if (!deaf.has(id)) reports.set(id, { version, allows_private: false, pings: [] });
    },
  });
  mesh.start();
});

function add(id: string, region: string): void {
  probes.set(id, {
    _id: id, region_id: region, organization_id: null, name: id, created_at: 0, public_key: 'U', box_key: 'X',
    ...BARE_PROBE, addresses: [`9.9.${probes.size >> 8}.${probes.size & 255}`],
  });
  reports.set(id, { version: '', allows_private: false, pings: [] });
}

describe('orders are sent', () => {
  test('to the live probes of this controller that take part, once', async () => {
    add('one', 'a');
    add('two', 'b');
    add('three', 'elsewhere');
    add('four', 'c');
    reports.delete('four');
    await clock.advance(3 * RUN_MS);
    expect(orders.map((order) => order.split(' ').sort().join(' '))).toEqual(['one: three two', 'three two: one'].map((order) => order.split(' ').sort().join(' ')));
  });

  test('again to a probe that has not followed, and when a peer is gone for an hour', async () => {
    add('one', 'a');
    add('two', 'b');
    deaf.add('one');
    await clock.advance(2 * RUN_MS);
    expect(orders).toEqual(['one: two', 'two: one', 'one: two']);
    deaf.clear();
    await clock.advance(RUN_MS);
    offline.add('two');
    silentMs = HOUR_MS;
    orders = [];
    await clock.advance(RUN_MS);
    expect(orders).toEqual([]);
    silentMs += 1;
    await clock.advance(RUN_MS);
    expect(orders).toEqual(['one: ']);
  });

  test('a few at a time, in turn, even if some probes ignore theirs', async () => {
    for (let nth = 0; nth < 120; nth += 1) {
      add(`probe-${nth}`, 'a');
      if (nth < 60) deaf.add(`probe-${nth}`);
    }
    await clock.advance(RUN_MS);
    expect(orders).toHaveLength(50);
    await clock.advance(2 * RUN_MS);
    expect(new Set(orders.map((order) => order.split(':')[0])).size).toBe(120);
  });
});

describe('an edge', () => {
  const edge = (peerId: string, change: Partial<EdgeTrack> = {}): EdgeTrack => (
    { peerId, pingedAt: 1, at: clock.now(), rttMs: 5, failures: 0, hasResponded: true, ...change }
  );
  const broken = { rttMs: null, failures: 3 };

  beforeEach(() => {
    for (const id of ['one', 'two', 'three']) add(id, 'a');
  });

  test('is broken for those who ask about either end', () => {
    edges.set('one', [edge('two', broken), edge('three')]);
    edges.set('two', [edge('three')]);
    const found = [{ from_probe: 'one', to_probe: 'two' }];
    for (const ids of [['one', 'two'], ['one', 'two', 'three']]) expect(mesh.brokenEdges(ids)).toEqual(found);
    expect(mesh.brokenEdges(['one', 'three'])).toEqual([]);
    offline.add('two');
    expect(mesh.brokenEdges(['one', 'two'])).toEqual([]);
  });

  test('to a probe that never responded to this one is broken if it responds to another', () => {
    edges.set('one', [edge('two', { ...broken, hasResponded: false })]);
    expect(mesh.brokenEdges(['one', 'two'])).toEqual([]);
    edges.set('three', [edge('two')]);
    expect(mesh.brokenEdges(['one', 'two'])).toEqual([{ from_probe: 'one', to_probe: 'two' }]);
    offline.add('three');
    expect(mesh.brokenEdges(['one', 'two'])).toEqual([]);
  });

  test('to a probe that no longer exists is left out', () => {
    edges.set('one', [edge('two'), edge('three')]);
    probes.delete('two');
    expect(mesh.edges().get('one')).toEqual([
      { probe_id: 'three', region: 'a', state: 'ok', rtt_ms: 5, at: clock.now() },
    ]);
  });
});
