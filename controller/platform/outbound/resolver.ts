import { lookup, Resolver } from 'node:dns/promises';
import pLimit from 'p-limit';

/** All addresses of a host name, IPv4 and IPv6. Without any, rejects with an error that has a `code`. */
export type Resolve = (host: string) => Promise<string[]>;

/** For one attempt at one query; there are two attempts. */
const TRY_TIMEOUT_MS = 2000;
/** `getaddrinfo` blocks one of libuv's four threads while it runs. */
const SYSTEM_LOOKUPS_AT_ONCE = 2;
const SYSTEM_LOOKUPS_WAITING = 100;
/** Answers that mean "no such name here"; the hosts file and the search list may still know it. */
const NOT_IN_DNS = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/** Asks DNS without blocking threads, then the system, which also knows the hosts file and search domains. */
export function createResolver(): Resolve {
  const dns = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: 2 });
  const systemLookups = pLimit(SYSTEM_LOOKUPS_AT_ONCE);
  return async (host) => {
    const answers = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    for (const answer of answers) {
      if (answer.status === 'rejected' && !NOT_IN_DNS.has(String(answer.reason.code))) throw answer.reason;
    }
    if (systemLookups.pendingCount >= SYSTEM_LOOKUPS_WAITING) {
      throw Object.assign(new Error('too many names wait to be resolved'), { code: 'EAGAIN' });
    }
    return (await systemLookups(() => lookup(host, { all: true }))).map(({ address }) => address);
  };
}
