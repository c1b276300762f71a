import type { PeerPing } from '../../shared/contracts/mesh.ts';

/** Pings in a row without a reply after which an edge is broken. */
const BROKEN_AFTER = 3;
/** An edge without a new ping for this long is unknown. */
const FORGOTTEN_AFTER_MS = 180_000;

type EdgeState = 'ok' | 'broken' | 'unknown';

/** The pings of one probe to another, as reported in its beats. */
export interface EdgeTrack {
  readonly peerId: string;
  /** Of the latest ping, by the probe's clock. */
  readonly pingedAt: number;
  /** When the controller received it, Unix ms. */
  readonly at: number;
  /** Null if it got no reply. */
  readonly rttMs: number | null;
  /** Pings in a row without a reply while the peer was alive. */
  readonly failures: number;
  /** Whether any ping ever got a reply; some networks drop all pings. */
  readonly hasResponded: boolean;
}

/** The probe with this id if it may be a peer: another probe of the same owner. */
export type PeerOf = (probeId: string) => { isLive: boolean } | null;

/** The edges after a beat. Beats repeat a ping until the next one, and omit former peers. */
export function edgesAfterBeat(
  edges: readonly EdgeTrack[], pings: readonly PeerPing[], now: number, peerOf: PeerOf,
): readonly EdgeTrack[] {
  const isRepeated = pings.length === edges.length
    && pings.every((ping, index) => isSamePing(edges[index] as EdgeTrack, ping));
  if (isRepeated) return edges;
  return pings.flatMap((ping) => {
    const edge = edges.find(({ peerId }) => peerId === ping.probe_id);
    if (edge && isSamePing(edge, ping)) return edge;
    const peer = peerOf(ping.probe_id);
    return peer ? edgeAfterPing(edge, ping, now, peer.isLive) : [];
  });
}

function isSamePing({ peerId, pingedAt }: EdgeTrack, ping: PeerPing): boolean {
  return peerId === ping.probe_id && pingedAt === ping.pinged_at;
}

function edgeAfterPing(
  edge: EdgeTrack | undefined, ping: PeerPing, now: number, isPeerLive: boolean,
): EdgeTrack {
  const { probe_id: peerId, pinged_at: pingedAt, ok, rtt_ms: rttMs } = ping;
  return {
    peerId, pingedAt, at: now, rttMs: ok ? rttMs : null,
    failures: ok || !isPeerLive ? 0 : (edge?.failures ?? 0) + 1,
    hasResponded: ok || (edge?.hasResponded ?? false),
  };
}

/** What the state of an edge depends on besides its pings. */
export interface EdgeMoment {
  now: number;
  /** Whether both probes are live. */
  areLive: boolean;
  /** Whether the peer replies to another probe. */
  isResponding: boolean;
}

/** A missing reply means nothing if a probe is offline or if the peer has never replied to any probe. */
export function edgeState(edge: EdgeTrack, { now, areLive, isResponding }: EdgeMoment): EdgeState {
  if (!areLive || now - edge.at > FORGOTTEN_AFTER_MS) return 'unknown';
  if (edge.rttMs !== null) return 'ok';
  if (edge.failures >= BROKEN_AFTER) return edge.hasResponded || isResponding ? 'broken' : 'unknown';
  return edge.failures > 0 && edge.hasResponded ? 'ok' : 'unknown';
}
