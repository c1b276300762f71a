import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a host name, IPv4 and IPv6. Rejects with an error that has a `code` when there is none. */
export type Resolve = (host: string) => Promise<string[]>;

/** Time for one try of one query; there are two tries. */
const TRY_TIMEOUT_MS = 2000;
/** `getaddrinfo` blocks one of libuv's four threads for as long as it takes, so only so many at once. */
const SYSTEM_LOOKUPS_AT_ONCE = 2;
/** Lookups that wait for their turn; one more is refused. */
const SYSTEM_LOOKUPS_WAITING = 100;
/** Answers that say "no such name here", upon which the hosts file and the search list are asked. */
const NOT_IN_DNS = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/** Asks DNS without blocking threads, then the system, which also knows the hosts file and search domains. */
export function createResolver(): Resolve {
  const dns = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: 2 });
  const askSystem = boundedSystemLookup();
  return async (host) => {
    const answers = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : []));
    const lasting = failures.find((error) => !NOT_IN_DNS.has(error.code ?? ''));
    if (lasting) throw lasting;
    return askSystem(host);
  };
}

function boundedSystemLookup(): Resolve {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (host) => {
    if (underWay >= SYSTEM_LOOKUPS_AT_ONCE) {
      if (waiting.length >= SYSTEM_LOOKUPS_WAITING) throw Object.assign(new Error(`too many names wait to be resolved`), { code: 'EAGAIN' });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      underWay += 1;
    }
    try {
      return (await lookup(host, { all: true })).map((found) => found.address);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else underWay -= 1;
    }
  };
}
