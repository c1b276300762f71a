import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressRefusal, parseHttpUrl } from '../../../shared/net-guard.ts';
import { within, type Clock } from '../../../shared/time.ts';
import type { Resolve } from './resolver.ts';

/** What may be connected to. `refused` is final; `unresolved` may pass. */
type Vetted =
  | { kind: 'allowed'; addresses: string[] }
  | { kind: 'refused' | 'unresolved'; reason: string };

export type AddressVetting = ReturnType<typeof createAddressVetting>;

/** How long saving a destination waits for its name to resolve; delivery looks again anyway. */
const SAVE_TIMEOUT_MS = 3000;

export function createAddressVetting(options: { resolve: Resolve; allowPrivate: boolean; clock: Clock }) {
  const { resolve, allowPrivate, clock } = options;

  /** Why one address may not be connected to; null when it may. */
  const refusalOf = (ip: string) => addressRefusal(ip, { allowPrivate, ownAddresses: ownAddresses() });

  /** Resolves a host, unless it is an address. One forbidden address among several refuses them all. */
  async function vetHost(host: string): Promise<Vetted> {
    let addresses: string[];
    try {
      addresses = isIP(host) ? [host] : await resolve(host);
    } catch (error) {
      return { kind: 'unresolved', reason: unresolvedReason(host, error) };
    }
    if (addresses.length === 0) return { kind: 'unresolved', reason: `${host} has no address` };
    const [reason] = addresses.flatMap((address) => refusalOf(address) ?? []);
    return reason === undefined ? { kind: 'allowed', addresses } : { kind: 'refused', reason };
  }

  /** Why a URL may not be saved as a destination; null when it may, also while its name does not resolve. */
  async function urlRefusal(url: string): Promise<string | null> {
    const parsed = parseHttpUrl(url);
    if (!parsed.ok) return parsed.reason;
    if (parsed.isLocalhost) return allowPrivate ? null : 'must be publicly reachable: localhost is not';
    const vetted = await within(clock, SAVE_TIMEOUT_MS, vetHost(parsed.host));
    return vetted?.kind === 'refused' ? `must be publicly reachable: ${vetted.reason}` : null;
  }

  /** The same for a URL that is a secret: it must be `https:`, unless private addresses are allowed. */
  async function secretUrlRefusal(url: string): Promise<string | null> {
    const parsed = parseHttpUrl(url);
    if (parsed.ok && parsed.url.protocol !== 'https:' && !allowPrivate) return 'must start with https://';
    return urlRefusal(url);
  }

  return { addressRefusal: refusalOf, vetHost, urlRefusal, secretUrlRefusal };
}

/** Read each time: interfaces come and go, and it takes microseconds. */
function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []));
}

function unresolvedReason(host: string, error: unknown): string {
  const { code = 'unknown' } = (error ?? {}) as NodeJS.ErrnoException;
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA';
  return isUnknown ? `the name ${host} does not exist` : `the name ${host} could not be resolved (${code})`;
}
