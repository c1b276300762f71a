import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressRefusal, isOtherProtocolPort, parseHttpUrl } from '../../../shared/net-guard.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Resolve } from './resolver.ts';

/** What may be connected to. `refused` is for good reason and final; `unresolved` may pass. */
export type Vetted = { kind: 'allowed'; addresses: string[] } | { kind: 'refused'; reason: string } | { kind: 'unresolved'; reason: string };

export interface AddressVetting {
  /** Whether one address may be connected to; the reason when not, else null. */
  addressRefusal(address: string): string | null;
  /** Resolves a host, or takes the address that it is; one forbidden address among several refuses them all. */
  vetHost(host: string): Promise<Vetted>;
  /** Whether an address of the web may be saved as a destination: the reason when not, else null. A name that does not resolve now may be saved. */
  urlRefusal(url: string): Promise<string | null>;
  /** The same for an address that is a secret: it must be `https:`, unless private addresses are allowed. */
  secretUrlRefusal(url: string): Promise<string | null>;
}

/** How long saving waits for a name; delivery looks again anyway. */
const SAVE_TIMEOUT_MS = 3000;

export function createAddressVetting(options: { resolve: Resolve; allowPrivate: boolean; clock: Clock }): AddressVetting {
  const { resolve, allowPrivate, clock } = options;
  const refusal = (address: string) => addressRefusal(address, { allowPrivate, ownAddresses: ownAddresses() });

  async function vetHost(host: string): Promise<Vetted> {
    let addresses: string[];
    try {
      addresses = isIP(host) ? [host] : await resolve(host);
    } catch (error) {
      return { kind: 'unresolved', reason: unresolvedReason(host, error) };
    }
    if (addresses.length === 0) return { kind: 'unresolved', reason: `${host} has no address` };
    const reasons = addresses.flatMap((address) => refusal(address) ?? []);
    return reasons[0] === undefined ? { kind: 'allowed', addresses } : { kind: 'refused', reason: reasons[0] };
  }

  async function urlRefusal(url: string): Promise<string | null> {
    const parsed = parseHttpUrl(url);
    if (!parsed.ok) return parsed.reason;
    if (isOtherProtocolPort(Number(parsed.url.port))) return `must not name port ${parsed.url.port}, which belongs to another protocol`;
    if (parsed.isLocalhost) return allowPrivate ? null : 'must be publicly reachable: localhost is not';
    const vetted = await within(clock, SAVE_TIMEOUT_MS, vetHost(parsed.host));
    return vetted?.kind === 'refused' ? `must be publicly reachable: ${vetted.reason}` : null;
  }

  async function secretUrlRefusal(url: string): Promise<string | null> {
    const parsed = parseHttpUrl(url);
    if (parsed.ok && parsed.url.protocol !== 'https:' && !allowPrivate) return 'must start with https://';
    return urlRefusal(url);
  }

  return { addressRefusal: refusal, vetHost, urlRefusal, secretUrlRefusal };
}

/** Read each time: interfaces come and go, and it takes microseconds. */
function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []));
}

function unresolvedReason(host: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'ENOTFOUND' || code === 'ENODATA' ? `the name ${host} does not exist` : `the name ${host} could not be resolved (${code ?? 'unknown'})`;
}

function within<T>(clock: Clock, timeoutMs: number, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(timeoutMs, () => resolve(null));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
