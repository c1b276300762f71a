import type { HostAndPort } from '../../../shared/setting.ts';
import type { Clock } from '../../../shared/time.ts';
import { FairQueue } from '../../work/fair-queue.ts';
import { openDns } from './resolver.ts';

/** A page has two records. */
const LIMITS = {
  maxRunning: 8, maxRunningPerKey: 2, maxWaiting: 100, maxWaitingPerKey: 20, maxWaitMs: 10_000,
};
/** Thrown instead of sending a query above the limit. */
class TooManyLookups extends Error {}
/** Error codes for a missing record. */
const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Reads DNS records from `servers`, or from the system's servers if empty. Queues callers fairly. Never
 * rejects: failures are data.
 */
export function createNameRecords(servers: readonly HostAndPort[], clock: Clock) {
  const dns = openDns(servers);
  const queue = new FairQueue(clock, LIMITS, () => new TooManyLookups());
  const lookUp = async (name: string, type: 'CNAME' | 'TXT'): Promise<string[]> => (type === 'CNAME'
    ? dns.resolveCname(name)
    : (await dns.resolveTxt(name)).map((parts) => parts.join('')));
  return async (caller: string, name: string, type: 'CNAME' | 'TXT') => {
    try {
      return { values: await queue.run(caller, () => lookUp(name, type)), problem: null };
    } catch (error) {
      if (error instanceof TooManyLookups) return { values: [], problem: 'Too many names are being looked up' };
      const { code = 'UNKNOWN' } = error as NodeJS.ErrnoException;
      if (NO_RECORD.has(code)) return { values: [], problem: null };
      return { values: [], problem: `The DNS server did not return ${type} records of ${name} (${code})` };
    }
  };
}
