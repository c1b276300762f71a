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
 * Stops pools without a minimum size or idle timeout from waking the process ten times a second. Driver 7.8
 * has no option for that. Stale connections are closed when the pool is ready again and before use.
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
