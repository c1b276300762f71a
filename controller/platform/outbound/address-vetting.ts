import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressRefusal, parseHttpUrl } from '../../../shared/net-guard.ts';
import { within, type Clock } from '../../../shared/time.ts';
import type { Resolve } from './resolver.ts';

/** `refused` is permanent; `unresolved` may be temporary. */
type Vetted =
  | { kind: 'allowed'; addresses: string[] }
  /** `isPrivate`: refused only because private addresses are not allowed here. */
  | { kind: 'refused'; reason: string; isPrivate: boolean }
  | { kind: 'unresolved'; reason: string };

export type AddressVetting = ReturnType<typeof createAddressVetting>;

/** How long saving a destination waits for DNS; delivery resolves the name again. */
const SAVE_TIMEOUT_MS = 3000;
/** For operators and people who can contact one. */
const HOW_TO_ALLOW = 'Set ALLOW_PRIVATE_DESTINATIONS=true on the server to allow private addresses.';

export function createAddressVetting(options: { resolve: Resolve; allowPrivate: boolean; clock: Clock }) {
  const { resolve, allowPrivate, clock } = options;

  /** Why an address must not be connected to; null if it may. */
  const refusalOf = (ip: string) => addressRefusal(ip, { allowPrivate, ownAddresses: ownAddresses() });

  /** Resolves a host unless it is an address. Refuses a host if any of its addresses is forbidden. */
  async function vetHost(host: string, caller: string): Promise<Vetted> {
    let addresses: string[];
    try {
      addresses = isIP(host) ? [host] : await resolve(host, caller);
    } catch (error) {
      return { kind: 'unresolved', reason: unresolvedReason(host, error) };
    }
    if (addresses.length === 0) return { kind: 'unresolved', reason: `${host} has no address` };
    const [reason] = addresses.flatMap((address) => refusalOf(address) ?? []);
    if (reason === undefined) return { kind: 'allowed', addresses };
    const isPrivate = addresses.every((address) => addressRefusal(address, { allowPrivate: true }) === null);
    return { kind: 'refused', reason, isPrivate };
  }

  async function assess(url: string, caller: string): Promise<{ reason: string; isPrivate: boolean } | null> {
    const parsed = parseHttpUrl(url);
    if (!parsed.ok) return { reason: parsed.reason, isPrivate: false };
    const localhost = { reason: 'must be publicly reachable: localhost is not', isPrivate: true };
    if (parsed.isLocalhost) return allowPrivate ? null : localhost;
    const vetted = await within(clock, SAVE_TIMEOUT_MS, vetHost(parsed.host, caller));
    if (vetted?.kind !== 'refused') return null;
    return { reason: `must be publicly reachable: ${vetted.reason}`, isPrivate: vetted.isPrivate };
  }

  /** Why an untrusted URL can't be saved; null if it may, also while its host doesn't resolve. */
  async function urlRefusal(url: string, caller: string): Promise<string | null> {
    return (await assess(url, caller))?.reason ?? null;
  }

  /**
   * Like `urlRefusal` for a destination's URL, and names the setting that would allow it. `isSecret`: it must
   * be `https:` unless private addresses are allowed.
   */
  async function destinationRefusal(url: string, isSecret: boolean, caller: string): Promise<string | null> {
    const parsed = parseHttpUrl(url);
    if (isSecret && parsed.ok && parsed.url.protocol !== 'https:' && !allowPrivate) return 'must start with https://';
    const refusal = await assess(url, caller);
    if (refusal === null) return null;
    return refusal.isPrivate ? `${refusal.reason}. ${HOW_TO_ALLOW}` : refusal.reason;
  }

  return { addressRefusal: refusalOf, vetHost, urlRefusal, destinationRefusal };
}

/** Read on each call: interfaces change, and it takes microseconds. */
function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []));
}

function unresolvedReason(host: string, error: unknown): string {
  const { code = 'unknown' } = (error ?? {}) as NodeJS.ErrnoException;
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA';
  return isUnknown ? `the name ${host} does not exist` : `the name ${host} could not be resolved (${code})`;
}
