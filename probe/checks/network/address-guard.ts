import { networkInterfaces } from 'node:os';
import { addressRanges, addressRefusal } from '../../../shared/net-guard.ts';
import type { Clock } from '../../../shared/time.ts';

const OWN_ADDRESSES_TTL_MS = 30_000;
/** Maximum cached decisions: computing one takes a tenth of a DNS check. */
const MAX_CACHED = 10_000;

/** The operator's settings on this probe. */
export interface OwnPolicy {
  /** Null if unset. */
  allowPrivate: boolean | null;
  /** Ranges (CIDR) that are always allowed. */
  allowedRanges: readonly string[];
  /** Ranges (CIDR), public ones included, that are always denied; takes precedence. */
  deniedRanges: readonly string[];
}

/**
 * Whether checks of an assignment must not reach private addresses, apart from ranges the operator allows.
 */
export function refusesPrivate(own: OwnPolicy, assigned = false): boolean {
  return own.allowPrivate === false || !assigned;
}

/**
 * Whether a check may connect to an address: never to link-local, metadata or reserved ones. For private and
 * loopback ones the assignment decides; this probe's setting can deny them. The operator's denied ranges take
 * precedence.
 */
export function addressGuard(own: OwnPolicy, clock: Clock): (ip: string, assigned?: boolean) => boolean {
  const allowedRanges = addressRanges(own.allowedRanges);
  const deniedRanges = addressRanges(own.deniedRanges);
  const [lenient, strict] = [new Map<string, boolean>(), new Map<string, boolean>()];
  let ownAddresses: ReadonlySet<string> = new Set();
  let readAtMs = -Infinity;
  return (ip, assigned) => {
    const allowPrivate = !refusesPrivate(own, assigned);
    if (!allowPrivate && clock.monotonic() - readAtMs > OWN_ADDRESSES_TTL_MS) {
      readAtMs = clock.monotonic();
      ownAddresses = new Set(
        Object.values(networkInterfaces()).flatMap((list) => list ?? []).map((each) => each.address),
      );
      strict.clear();
    }
    const cache = allowPrivate ? lenient : strict;
    let isAllowed = cache.get(ip);
    if (isAllowed === undefined) {
      isAllowed = addressRefusal(ip, { allowPrivate, allowedRanges, deniedRanges, ownAddresses }) === null;
      if (cache.size === MAX_CACHED) cache.clear();
      cache.set(ip, isAllowed);
    }
    return isAllowed;
  };
}
