import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { AuditStore } from './store.ts';

/** A year and some, so that the same month of last year can be looked at. */
const KEPT_MS = 400 * 86_400_000;
const EVERY_MS = 6 * 3_600_000;

/** Forgets changes after 400 days; looks every 6 hours. Several controllers may do so at once. */
export function startAuditRetention(deps: { entries: Pick<AuditStore, 'removeOlder'>; clock: Clock; log: Log }): { stop(): Promise<void> } {
  const { entries, clock, log } = deps;
  let underWay = Promise.resolve();
  const timer = clock.setRepeating(EVERY_MS, () => {
    underWay = entries.removeOlder(clock.now() - KEPT_MS).then(
      (count) => void (count > 0 && log.info({ count }, 'old entries of the audit log removed')),
      (error: unknown) => log.warn({ err: error }, 'old entries of the audit log could not be removed'),
    );
  });
  return {
    stop: () => {
      timer.cancel();
      return underWay;
    },
  };
}
