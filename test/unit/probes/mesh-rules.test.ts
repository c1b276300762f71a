import { describe, expect, test } from 'vitest';
import { edgesAfterBeat, edgeState, type EdgeTrack, type PeerOf } from '../../../controller/probes/mesh-rules.ts';
import type { PeerPing } from '../../../shared/contracts/mesh.ts';

const LIVE: PeerOf = () => ({ isLive: true });
const OFFLINE: PeerOf = () => ({ isLive: false });
const MINUTE_MS = 60_000;

const ping = (nth: number, ok: boolean, id = 'b'): PeerPing =>
  ({ probe_id: id, pinged_at: nth * MINUTE_MS, ok, rtt_ms: ok ? 12.5 : null });

/** The edge after pings with these outcomes, a minute apart, each repeated by a dozen beats. */
function edgeAfter(outcomes: readonly boolean[], peerOf = LIVE, before: readonly EdgeTrack[] = []): EdgeTrack {
  let edges = before;
  const first = (before[0]?.pingedAt ?? 0) / MINUTE_MS + 1;
  for (const [index, ok] of outcomes.entries()) {
    for (let beat = 0; beat < 12; beat += 1) {
      edges = edgesAfterBeat(edges, [ping(first + index, ok)], (first + index) * MINUTE_MS + beat * 5000, peerOf);
    }
  }
  return edges[0] as EdgeTrack;
}

const stateOf = (edge: EdgeTrack, change = {}) =>
  edgeState(edge, { now: edge.at + 55_000, areLive: true, isResponding: false, ...change });

describe('an edge', () => {
  test('is ok while the peer responds', () => {
    expect(edgeAfter([true])).toMatchObject({ peerId: 'b', rttMs: 12.5, failures: 0, at: MINUTE_MS });
    expect(stateOf(edgeAfter([false, false, false, false, true]))).toBe('ok');
  });

  test('is broken after three pings in a row without a reply, however many beats repeat them', () => {
    expect(stateOf(edgeAfter([true, false]))).toBe('ok');
    expect(stateOf(edgeAfter([true, false, false]))).toBe('ok');
    expect(stateOf(edgeAfter([true, false, false, false]))).toBe('broken');
    expect(stateOf(edgeAfter([true, false, false, true, false]))).toBe('ok');
  });

  test('is unknown if the peer never responded to anyone, and broken if it responds to another probe', () => {
    const silent = edgeAfter([false, false, false, false]);
    expect(stateOf(silent)).toBe('unknown');
    expect(stateOf(silent, { isResponding: true })).toBe('broken');
    expect(stateOf(edgeAfter([false, false]), { isResponding: true })).toBe('unknown');
  });

  test('is unknown while one of both is offline, and pings of that time do not count', () => {
    const edge = edgeAfter([true, false, false, false]);
    expect(stateOf(edge, { areLive: false })).toBe('unknown');
    const meanwhile = edgeAfter([false, false, false], OFFLINE, [edgeAfter([true])]);
    expect(stateOf(meanwhile)).toBe('unknown');
    expect(stateOf(edgeAfter([false, false], LIVE, [meanwhile]))).toBe('ok');
    expect(stateOf(edgeAfter([false, false, false], LIVE, [meanwhile]))).toBe('broken');
  });

  test('is unknown after three minutes without a new ping', () => {
    const edge = edgeAfter([true, false, false, false]);
    expect(stateOf(edge, { now: edge.at + 180_000 })).toBe('broken');
    expect(stateOf(edge, { now: edge.at + 180_001 })).toBe('unknown');
  });
});

describe('a beat', () => {
  test('changes nothing if it repeats the pings', () => {
    const edges = edgesAfterBeat([], [ping(1, true, 'b'), ping(1, true, 'c')], 1, LIVE);
    expect(edgesAfterBeat(edges, [ping(1, true, 'b'), ping(1, true, 'c')], 5001, LIVE)).toBe(edges);
    expect(edgesAfterBeat(edges, [ping(1, true, 'c'), ping(1, true, 'b')], 5001, LIVE)).toEqual([...edges].reverse());
  });

  test('forgets the edge to a former peer', () => {
    const edges = edgesAfterBeat([], [ping(1, true, 'b'), ping(1, true, 'c')], 1, LIVE);
    expect(edgesAfterBeat(edges, [ping(1, true, 'c')], 5001, LIVE).map(({ peerId }) => peerId)).toEqual(['c']);
    expect(edgesAfterBeat(edges, [], 5001, LIVE)).toEqual([]);
  });

  test('cannot name a probe of another owner', () => {
    const peerOf: PeerOf = (id) => (id === 'foreign' ? null : { isLive: true });
    expect(edgesAfterBeat([], [ping(1, false, 'foreign'), ping(1, true, 'b')], 1, peerOf)).toHaveLength(1);
  });
});
