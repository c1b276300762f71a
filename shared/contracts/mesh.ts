import { z } from 'zod';

/** Maximum peers that a probe pings. */
export const MAX_PEERS = 4;
/** How often it pings each of them. */
export const MESH_INTERVAL_MS = 60_000;

const probeId = z.string().max(64);
/** Identifies a list of peers. */
const version = z.string().max(36);

/** Order to ping these peers instead of the former ones. Beats carry the results. */
export const meshOrder = z.object({
  mesh: z.object({
    version,
    /** Whether pings may go to private and loopback addresses; the probe's own setting can deny them. */
    allow_private: z.boolean(),
    peers: z.array(z.object({ probe_id: probeId, address: z.string().max(64) })).max(MAX_PEERS),
  }),
});
export type MeshOrder = z.infer<typeof meshOrder>;

/** The latest conclusive ping of a peer. */
const peerPing = z.object({
  probe_id: probeId,
  /** Unix ms by the probe's clock, unique to the ping. */
  pinged_at: z.number(),
  ok: z.boolean(),
  /** Null unless `ok`. */
  rtt_ms: z.number().min(0).nullable(),
});
export type PeerPing = z.infer<typeof peerPing>;

/** Part of a mesh member's beats. */
export const meshReport = z.object({
  /** Of the latest order; empty before the first one. */
  version,
  /** Whether other probes of its owner may ping it at a private address. */
  allows_private: z.boolean(),
  pings: z.array(peerPing).max(MAX_PEERS),
});
export type MeshReport = z.infer<typeof meshReport>;
