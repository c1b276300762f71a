import { networkInterfaces } from 'node:os';
import { addressRanges, addressRefusal } from '../../../shared/net-guard.ts';
import type { Clock } from '../../../shared/time.ts';

const OWN_ADDRESSES_TTL_MS = 30_000;
/** Addresses whose answers are kept: finding one anew takes as long as a tenth of a DNS check. */
const MAX_CACHED = 10_000;

/** What the operator of this probe has set. */
export interface OwnPolicy {
  /** Null: nothing. */
  allowPrivate: boolean | null;
  /** Ranges (CIDR) that checks may reach in any case. */
  allowedRanges: readonly string[];
  /** Ranges (CIDR), also of public addresses, that checks must not reach; they win over all the others. */
  deniedRanges: readonly string[];
}

/** Whether an assignment's checks may reach no private address, but for those that the operator lists. */
export function refusesPrivate(own: OwnPolicy, assigned: boolean | undefined): boolean {
  return own.allowPrivate === false || !(assigned ?? own.allowPrivate === true);
}

/**
 * Whether a check may connect to an address: never to link-local, metadata and reserved ones. To private and
 * loopback ones as its assignment says; this probe's own setting can refuse them, and decides about
 * assignments that say nothing. What the operator denies is refused first.
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
