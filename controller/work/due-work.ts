import PQueue from 'p-queue';
import type { Clock } from '../../shared/time.ts';
import { ONLY_CONTROLLER_INTERVAL_MS } from './periodic-task.ts';
import { WorkClaims, type WorkClaim } from './work-claims.ts';

interface Due {
  due_at?: number;
  claim?: WorkClaim;
}

interface DueStore<Doc> {
  /** Documents due by `until` (Unix ms) and without the claims `held`, longest overdue first. */
  due(until: number, limit: number, held: readonly string[]): Promise<Doc[]>;
}

interface ClaimableStore<Doc> extends DueStore<Doc> {
  /** Claims it for one controller; null if it has changed since `seen`. */
  claim(seen: Doc, claim: WorkClaim): Promise<Doc | null>;
}

interface DueSource<Doc, Store = DueStore<Doc>> {
  clock: Clock;
  store: Store;
  /** When it is due, Unix ms; its `due_at` unless given. */
  dueAt?(doc: Doc): number | undefined;
}

interface FoundWork<Doc> {
  /** Due now, and claimed by nobody. */
  free: Doc[];
  /** Whether to search again immediately, or only when idle; as a PeriodicTask's outcome. */
  next: boolean | 'idle';
}

/** Up to `limit` documents that are due, unless another controller has them under these `claims`. */
export async function findDue<Doc extends Due>(
  { clock, store, dueAt = ({ due_at }) => due_at }: DueSource<Doc>, limit: number, claims?: WorkClaims,
): Promise<FoundWork<Doc>> {
  const until = clock.now() + ONLY_CONTROLLER_INTERVAL_MS;
  const upcoming = await store.due(until, limit, claims?.heldTokens ?? []);
  const overdue = upcoming.filter((doc) => (dueAt(doc) ?? Infinity) <= clock.now());
  const free = overdue.filter(({ claim }) => claims?.isFree(claim) ?? true);
  if (overdue.length === limit && free.length > 0) return { free, next: true };
  // Claims of others may expire and become ours.
  const isIdle = upcoming.length === 0 && (claims?.heldTokens ?? []).length === 0;
  return { free, next: isIdle ? 'idle' : false };
}

interface DueWorkOptions<Doc> extends DueSource<Doc, ClaimableStore<Doc>> {
  /** This controller's id. */
  holder: string;
  /** How long a claim lasts: longer than the work takes. Then another controller repeats it. */
  ttlMs: number;
}

/** Due documents of a collection, each of which one controller processes. */
export class DueWork<Doc extends Due> {
  readonly #options: DueWorkOptions<Doc>;
  readonly #claims: WorkClaims;

  constructor(options: DueWorkOptions<Doc>) {
    this.#options = options;
    this.#claims = new WorkClaims(options);
  }

  /** Whether an unexpired claim is known, of whichever controller. */
  get hasClaims(): boolean {
    return this.#claims.heldTokens.length > 0;
  }

  find(limit: number): Promise<FoundWork<Doc>> {
    return findDue(this.#options, limit, this.#claims);
  }

  /** As WorkClaims.runClaimed. */
  run<R>(seen: Doc, work: (claimed: Doc) => Promise<R>): Promise<R | null> {
    return this.#claims.runClaimed((claim) => this.#options.store.claim(seen, claim), work);
  }

  /**
   * Finds up to `limit` documents and processes them. A failure goes to `onError` and affects no other
   * document: its claim expires by itself.
   */
  async runDue(
    { limit, concurrency = 1, onError }:
      { limit: number; concurrency?: number; onError(error: unknown, seen: Doc): void },
    work: (claimed: Doc) => Promise<unknown>,
  ): Promise<boolean | 'idle'> {
    const { free, next } = await this.find(limit);
    const queue = new PQueue({ concurrency });
    await queue.addAll(free.map((seen) => () =>
      this.run(seen, work).catch((error: unknown) => onError(error, seen))));
    return next;
  }
}
