import { lookup, Resolver } from 'node:dns/promises';
import type { HostAndPort } from '../../../shared/setting.ts';
import type { Clock } from '../../../shared/time.ts';
import { FairQueue } from '../../work/fair-queue.ts';

/**
 * All IPv4 and IPv6 addresses of a host name. Without any, rejects with an error that has a `code`. Queues
 * callers fairly.
 */
export type Resolve = (host: string, caller: string) => Promise<string[]>;

/** For one of the two attempts. */
const ATTEMPT_TIMEOUT_MS = 2000;
/** `getaddrinfo` blocks one of libuv's four threads while it runs. */
const SYSTEM_LOOKUPS = {
  maxRunning: 2, maxRunningPerKey: 1, maxWaiting: 100, maxWaitingPerKey: 20, maxWaitMs: 10_000,
};
/** Codes for a name missing in DNS; the hosts file and the search domains may still know it. */
const NOT_IN_DNS = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Queries DNS without blocking threads, then the system, which also knows the hosts file and search domains.
 */
export function createResolver(clock: Clock, bySystem: typeof allAddresses = allAddresses): Resolve {
  const dns = openDns();
  const systemLookups = new FairQueue(clock, SYSTEM_LOOKUPS, () =>
    Object.assign(new Error('too many names wait to be resolved'), { code: 'EAGAIN' }));
  return async (host, caller) => {
    const results = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (addresses.length > 0) return addresses;
    for (const result of results) {
      if (result.status === 'rejected' && !NOT_IN_DNS.has(String(result.reason.code))) throw result.reason;
    }
    return systemLookups.run(caller, () => bySystem(host));
  };
}

/** Asks `servers`, or the system's if empty. */
export function openDns(servers: readonly HostAndPort[] = []): Resolver {
  const dns = new Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: 2 });
  if (servers.length > 0) {
    dns.setServers(servers.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`));
  }
  return dns;
}

async function allAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
