import { Resolver } from 'node:dns/promises';
import pLimit from 'p-limit';
import type { HostAndPort } from '../../../shared/setting.ts';

/** For one attempt at one question; there are two attempts. */
const TRY_TIMEOUT_MS = 2000;
const AT_ONCE = 8;
const WAITING = 100;
/** Answers that mean: there is no such record. */
const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/** Reads records by these name servers, or by those of the system. Never rejects: failures are data. */
export function createNameRecords(servers: readonly HostAndPort[]) {
  const dns = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: 2 });
  if (servers.length > 0) {
    dns.setServers(servers.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`));
  }
  const turns = pLimit(AT_ONCE);
  const ask = async (name: string, type: 'CNAME' | 'TXT'): Promise<string[]> => (type === 'CNAME'
    ? dns.resolveCname(name)
    : (await dns.resolveTxt(name)).map((parts) => parts.join('')));
  return async (name: string, type: 'CNAME' | 'TXT') => {
    if (turns.pendingCount >= WAITING) return { values: [], problem: 'Too many names are being looked up' };
    try {
      return { values: await turns(() => ask(name, type)), problem: null };
    } catch (error) {
      const { code = 'UNKNOWN' } = error as NodeJS.ErrnoException;
      if (NO_RECORD.has(code)) return { values: [], problem: null };
      return { values: [], problem: `The name server gave no answer about ${type} of ${name} (${code})` };
    }
  };
}
