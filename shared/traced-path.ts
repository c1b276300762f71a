/** A router on the path to a target; both fields are null if it did not respond. */
export interface Hop {
  ttl: number;
  address: string | null;
  rtt_ms: number | null;
}

/** What one region found about the path to a target. */
export interface ExaminedPath {
  sees: 'up' | 'down';
  /** Of the target. */
  addresses: readonly string[];
  /** By ascending `ttl`; the target is the last hop if it responded. */
  path: readonly Hop[];
}

/** One hop, a run of silent hops, or no trace. */
export type Stop = { kind: 'hop'; hop: Hop } | { kind: 'silent'; from: number; to: number } | { kind: 'untraced' };

/**
 * `name`: the target's name has no address. `path`: nothing responds beyond the hops reached. `target`: the
 * target responds, but its check fails. `unknown`: nothing responds.
 */
export type PathBreak = 'name' | 'path' | 'target' | 'unknown';

/** The path of one region as it is shown: from the probe to the break, beyond it, and the target. */
export interface TracedPath {
  reached: Stop[];
  /** Null if the region sees the target up or has no trace. */
  break: PathBreak | null;
  /** Silent hops after a break of kind `path`. */
  beyond: Stop[];
  /** The target's own response to the trace, else its first address; null without one. */
  target: { address: string; rtt_ms: number | null } | null;
}

/** Folds runs of silent hops into one stop, and finds where the path breaks. */
export function tracedPathOf({ sees, addresses, path }: ExaminedPath): TracedPath {
  const response = path.find((hop) => hop.address !== null && addresses.includes(hop.address));
  const address = response?.address ?? addresses[0];
  const target = address === undefined ? null : { address, rtt_ms: response?.rtt_ms ?? null };
  const isNameless = sees === 'down' && addresses.length === 0;
  if (path.length === 0) {
    return { reached: isNameless ? [] : [{ kind: 'untraced' }], break: isNameless ? 'name' : null, beyond: [], target };
  }
  const hops = path.filter(({ ttl }) => ttl < (response?.ttl ?? Infinity));
  const lastAt = hops.findLastIndex((hop) => hop.address !== null);
  const found = sees === 'up' ? null : response !== undefined ? 'target' : lastAt < 0 ? 'unknown' : 'path';
  const end = found === 'path' ? lastAt + 1 : hops.length;
  return { reached: stopsOf(hops.slice(0, end)), break: found, beyond: stopsOf(hops.slice(end)), target };
}

function stopsOf(hops: readonly Hop[]): Stop[] {
  const stops: Stop[] = [];
  for (const hop of hops) {
    const last = stops.at(-1);
    if (hop.address !== null) stops.push({ kind: 'hop', hop });
    else if (last?.kind === 'silent') last.to = hop.ttl;
    else stops.push({ kind: 'silent', from: hop.ttl, to: hop.ttl });
  }
  return stops;
}
