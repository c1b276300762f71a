import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressRefusal, classifyAddress, parseHttpUrl } from '../../../shared/net-guard.ts';
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
const LOCALHOST = 'must be publicly reachable: localhost is not';
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

  /** `isPrivate` of an allowed URL: its host has private addresses only. */
  async function assess(url: string, caller: string): Promise<{ reason: string | null; isPrivate: boolean }> {
    const parsed = parseHttpUrl(url);
    if (!parsed.ok) return { reason: parsed.reason, isPrivate: false };
    if (parsed.isLocalhost) return { reason: allowPrivate ? null : LOCALHOST, isPrivate: true };
    const vetted = await within(clock, SAVE_TIMEOUT_MS, vetHost(parsed.host, caller));
    if (vetted?.kind === 'refused') {
      return { reason: `must be publicly reachable: ${vetted.reason}`, isPrivate: vetted.isPrivate };
    }
    const addresses = vetted?.kind === 'allowed' ? vetted.addresses : [];
    return { reason: null, isPrivate: addresses.length > 0 && addresses.every((one) => classifyAddress(one) !== 'global') };
  }

  /** Why an untrusted URL can't be saved; null if it may, also while its host doesn't resolve. */
  async function urlRefusal(url: string, caller: string): Promise<string | null> {
    return (await assess(url, caller)).reason;
  }

  /**
   * Like `urlRefusal` for a destination's URL, and names the setting that would allow it. `isSecret`: it must
   * be `https:` unless its host is private.
   */
  async function destinationRefusal(url: string, isSecret: boolean, caller: string): Promise<string | null> {
    const { reason, isPrivate } = await assess(url, caller);
    if (reason !== null) return isPrivate ? `${reason}. ${HOW_TO_ALLOW}` : reason;
    if (isPrivate || !isSecret || /^https:/i.test(url)) return null;
    return 'must start with https://, because it is sent a secret and its host is not known to be private';
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
