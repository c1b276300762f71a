// @ts-expect-error The driver has no types for its internals.
import { ConnectionPool } from 'mongodb/lib/cmap/connection_pool.js';

const STOPPED = Symbol.for('farwatch.mongo-pool-timer');

interface DriverPool {
  readonly options: { readonly minPoolSize: number; readonly maxIdleTimeMS: number };
  minPoolSizeTimer: NodeJS.Timeout | undefined;
  ensureMinPoolSize(): void;
  [STOPPED]?: true;
}

/**
 * Keeps pools without a minimum size or an idle time from waking the process ten times a second to look for
 * connections to add or close. Driver 7.8 has no option for it. Connections of an earlier outage are closed
 * when the pool is ready again, and whenever one of them is about to be used.
 */
export function stopPoolTimers(): void {
  const prototype: DriverPool = ConnectionPool.prototype;
  if (prototype[STOPPED] === true) return;
  prototype[STOPPED] = true;
  const ensure = prototype.ensureMinPoolSize;
  prototype.ensureMinPoolSize = function (this: DriverPool): void {
    ensure.call(this);
    if (this.options.minPoolSize > 0 || this.options.maxIdleTimeMS > 0) return;
    clearTimeout(this.minPoolSizeTimer);
    this.minPoolSizeTimer = undefined;
  };
}
