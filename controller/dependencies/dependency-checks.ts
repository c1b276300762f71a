import PQueue from 'p-queue';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';

/** Checks that run concurrently. Alerts that wait for the others are sent after a minute at the latest. */
const MAX_CONCURRENT = 32;
/** Between two checks of a dependency whose failure is to be confirmed, ms. */
const PAUSE_MS = 1000;
/** Ended checks remembered. */
const MAX_REMEMBERED = 10_000;

/** Monotonic times, ms. */
interface EndedCheck {
  startedAtMs: number;
  endedAtMs: number;
  hasFailed: boolean;
}

interface DependencyChecksDeps {
  /** Checks the monitor now, in all its regions. True if it may be down, but its policy wants rechecks. */
  check(monitorId: string): Promise<boolean>;
  onEnded(monitorId: string): void;
  clock: Clock;
  log: Log;
}

/** Checks dependencies at once. Alerts that are held at the same time share a check. */
export class DependencyChecks {
  readonly #deps: DependencyChecksDeps;
  readonly #queue = new PQueue({ concurrency: MAX_CONCURRENT });
  readonly #running = new Set<string>();
  /** By monitor, latest last. */
  readonly #ended = new Map<string, EndedCheck>();

  constructor(deps: DependencyChecksDeps) {
    this.#deps = deps;
  }

  /**
   * Whether a check that began at `sinceMs` (monotonic) or later is still to end or has failed. Starts a check
   * if there was none, and again while checks fail, if `isToConfirm`.
   */
  isUnderCheck(monitorId: string, sinceMs: number, isToConfirm: boolean): boolean {
    const { clock } = this.#deps;
    if (this.#running.has(monitorId)) return true;
    const ended = this.#ended.get(monitorId);
    const isCurrent = ended !== undefined && ended.startedAtMs >= sinceMs;
    if (isCurrent && !ended.hasFailed) return false;
    if (!isCurrent || (isToConfirm && clock.monotonic() - ended.endedAtMs >= PAUSE_MS)) this.#start(monitorId);
    return true;
  }

  /** Starts no more checks. */
  stop(): void {
    this.#queue.pause();
    this.#queue.clear();
  }

  #start(monitorId: string): void {
    this.#running.add(monitorId);
    void this.#queue.add(async () => {
      const { clock, onEnded } = this.#deps;
      const startedAtMs = clock.monotonic();
      const hasFailed = await this.#check(monitorId);
      this.#running.delete(monitorId);
      this.#ended.delete(monitorId);
      this.#ended.set(monitorId, { startedAtMs, endedAtMs: clock.monotonic(), hasFailed });
      if (this.#ended.size > MAX_REMEMBERED) this.#ended.delete(this.#ended.keys().next().value as string);
      onEnded(monitorId);
    });
  }

  async #check(monitorId: string): Promise<boolean> {
    try {
      return await this.#deps.check(monitorId);
    } catch (error) {
      this.#deps.log.warn({ err: error, monitor: monitorId }, 'could not check a dependency');
      return false;
    }
  }
}
