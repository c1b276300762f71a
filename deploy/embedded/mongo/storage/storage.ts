import { MAX_KEY_BYTES, type Engine } from './engine.ts';
import { Overlay, type Entry } from './overlay.ts';

interface Job {
  readonly run: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Keys and values on disk. Writes are jobs: those that arrive during a commit run together in the next one.
 * Each sees the writes of earlier jobs; all resolve once their commit is flushed to disk.
 */
export class Storage {
  private readonly engine: Engine;
  private readonly onFatal: (error: unknown) => void;
  private jobs: Job[] = [];
  private overlay: Overlay | null = null;
  private pumping: Promise<void> | null = null;
  private afterCommit: (() => void)[] = [];
  private afterRollback: (() => void)[] = [];
  private failed: unknown = null;

  constructor(engine: Engine, onFatal: (error: unknown) => void) {
    this.engine = engine;
    this.onFatal = onFatal;
  }

  get(key: Buffer): Buffer | undefined {
    const pending = this.overlay?.get(key);
    if (pending !== undefined) return pending ?? undefined;
    return this.engine.getBinary(key);
  }

  has(key: Buffer): boolean {
    const pending = this.overlay?.get(key);
    return pending === undefined ? this.engine.doesExist(key) : pending !== null;
  }

  /**
   * Entries with `first` <= key < `end`, ascending or descending, without the leading `skip` ones. Skipping
   * is impossible inside a write job.
   */
  range(first: Buffer, end: Buffer, reverse = false, skip = 0): Iterable<Entry> {
    const [from, to] = [withinKeySize(first), withinKeySize(end)];
    const stored = this.engine.getRange(
      reverse
        ? { start: to, end: from, reverse: true, exclusiveStart: true, inclusiveEnd: true, offset: skip }
        : { start: from, end: to, offset: skip },
    );
    const { overlay } = this;
    return overlay === null || overlay.isEmpty ? stored : overlay.merge(stored, from, to, reverse);
  }

  /** Number of entries with `first` <= key < `end`. Impossible inside a write job. */
  count(first: Buffer, end: Buffer): number {
    return this.engine.getKeysCount({ start: withinKeySize(first), end: withinKeySize(end) });
  }

  /** Only inside a write job. */
  put(key: Buffer, value: Buffer): void {
    this.pending().set(key, value);
  }

  /** Only inside a write job. */
  remove(key: Buffer): void {
    this.pending().set(key, null);
  }

  /** Calls `action` once everything written by the running job is on disk. */
  onCommitted(action: () => void): void {
    this.afterCommit.push(action);
  }

  /** Calls `action` if the running job throws, in reverse order of registration. */
  onRolledBack(action: () => void): void {
    this.afterRollback.push(action);
  }

  /**
   * Runs `job` in the next commit and resolves with its result once that is on disk. A job that throws has no
   * effect, and its error rejects the promise.
   */
  write<T>(job: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.failed !== null) return reject(this.failed);
      this.jobs.push({ run: job, resolve: resolve as (result: unknown) => void, reject });
      this.pumping ??= this.pump();
    });
  }

  /** Closes the files after all pending writes. */
  async close(): Promise<void> {
    while (this.pumping !== null) await this.pumping;
    await this.engine.close();
  }

  private pending(): Overlay {
    if (this.overlay === null) throw new Error('a write outside a write job');
    return this.overlay;
  }

  private async pump(): Promise<void> {
    // Messages that arrived in the same turn join the first commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.jobs.length > 0) {
      const jobs = this.jobs;
      this.jobs = [];
      try {
        await this.commit(jobs);
      } catch (error) {
        this.fail(error, jobs);
      }
    }
    this.pumping = null;
  }

  private async commit(jobs: readonly Job[]): Promise<void> {
    const overlay = new Overlay();
    const settlers: (() => void)[] = [];
    this.overlay = overlay;
    this.afterCommit = [];
    try {
      for (const job of jobs) settlers.push(this.runJob(job, overlay));
    } finally {
      this.overlay = null;
    }
    const actions = this.afterCommit;
    if (!overlay.isEmpty) await this.engine.write(overlay.changes());
    for (const action of actions) action();
    for (const settle of settlers) settle();
  }

  private runJob(job: Job, overlay: Overlay): () => void {
    overlay.mark();
    this.afterRollback = [];
    try {
      const result = job.run();
      return () => job.resolve(result);
    } catch (error) {
      overlay.rollback();
      for (const action of this.afterRollback.reverse()) action();
      return () => job.reject(error);
    }
  }

  /** After a failed commit the disk's state is unknown until a restart, so all writes are rejected. */
  private fail(error: unknown, jobs: readonly Job[]): void {
    this.failed = error;
    for (const job of [...jobs, ...this.jobs]) job.reject(error);
    this.jobs = [];
    this.onFatal(error);
  }
}

/** Shortens a bound longer than any key to the nearest one that partitions the keys in the same way. */
function withinKeySize(bound: Buffer): Buffer {
  if (bound.length <= MAX_KEY_BYTES) return bound;
  const next = Buffer.from(bound.subarray(0, MAX_KEY_BYTES));
  let last = next.length - 1;
  while (next[last] === 0xff) last--;
  next[last] = (next[last] as number) + 1;
  return next.subarray(0, last + 1);
}
