import PQueue from 'p-queue';
import { newSecret } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import { ONLY_CONTROLLER_INTERVAL_MS } from './periodic-task.ts';

/** Reserves a piece of work for one controller, so that no other does it too. */
export interface WorkClaim {
  /** Unique per attempt. */
  token: string;
  /** The controller's id as in its leases; the same after a restart. */
  holder: string;
  /** Changes with each start of the controller. */
  life: string;
}

interface WorkClaimsDeps {
  clock: Clock;
  /** This controller's id. */
  holder: string;
  /** Longer than an attempt takes, including the time to record its outcome. */
  ttlMs: number;
}

/** First seen so long ago that the claim has expired. */
const UNUSED = -Infinity;
/** Maximum tracked claims; one that is evicted and seen again gets its full time again. */
const MAX_TRACKED_CLAIMS = 10_000;
/** Maximum claims excluded from one scan; beyond it, other controllers' work may fill the scan. */
const MAX_HELD_TOKENS = 1000;

/**
 * Decides which claims have expired. Claims of this controller's earlier runs have. All others last `ttlMs`
 * from when this controller first saw them, by its own monotonic clock: clocks are never compared between
 * controllers.
 */
export class WorkClaims {
  readonly #deps: WorkClaimsDeps;
  readonly #life = newSecret();
  /** By token, when it was first seen, monotonic ms; in that order. */
  readonly #firstSeenAtMs = new Map<string, number>();

  constructor(deps: WorkClaimsDeps) {
    this.#deps = deps;
  }

  create(): WorkClaim {
    const claim = { token: newSecret(), holder: this.#deps.holder, life: this.#life };
    this.remainingMs(claim);
    return claim;
  }

  /**
   * Runs `act`, which stores a claim or prepares the work. If it throws, the claim may be stored, but no work
   * began under it, so this controller can take it over at once.
   */
  async whileUnused<T>({ token }: Pick<WorkClaim, 'token'>, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      this.#firstSeenAtMs.set(token, UNUSED);
      throw error;
    }
  }

  /** Whether no work began under this claim, as far as this controller knows. */
  isUnused({ token }: WorkClaim): boolean {
    return this.#firstSeenAtMs.get(token) === UNUSED;
  }

  /**
   * Does the work that `acquire` claims and records its outcome; null if another controller was first. If
   * `work` throws, the claim stays valid until it expires.
   */
  async runClaimed<T, R>(
    acquire: (claim: WorkClaim) => Promise<T | null>, work: (acquired: T) => Promise<R>,
  ): Promise<R | null> {
    const claim = this.create();
    const acquired = await this.whileUnused(claim, () => acquire(claim));
    const outcome = acquired === null ? null : await work(acquired);
    this.#firstSeenAtMs.delete(claim.token);
    return outcome;
  }

  /** Time until the claim expires, ms; 0 if it can be taken over. */
  remainingMs({ token, holder, life }: WorkClaim): number {
    const { clock, ttlMs } = this.#deps;
    if (holder === this.#deps.holder && life !== this.#life) return 0;
    const now = clock.monotonic();
    const firstSeenAtMs = this.#firstSeenAtMs.get(token) ?? now;
    this.#firstSeenAtMs.set(token, firstSeenAtMs);
    if (this.#firstSeenAtMs.size > MAX_TRACKED_CLAIMS) {
      this.#firstSeenAtMs.delete(this.#firstSeenAtMs.keys().next().value as string);
    }
    return Math.max(0, firstSeenAtMs + ttlMs - now);
  }

  /** Whether work with this claim, or without one, can be started. */
  isFree(claim: WorkClaim | null | undefined): boolean {
    return !claim || this.remainingMs(claim) === 0;
  }

  /** Tokens of unexpired claims; scans exclude them to find other work. */
  get heldTokens(): string[] {
    const { clock, ttlMs } = this.#deps;
    const since = clock.monotonic() - ttlMs;
    return [...this.#firstSeenAtMs]
      .filter(([, firstSeenAtMs]) => firstSeenAtMs > since)
      .map(([token]) => token)
      .slice(-MAX_HELD_TOKENS);
  }
}

/** A document that controllers claim from each other. */
export interface Claimable {
  _id: string;
  /** Of the controller working on it; absent if none is. */
  claim?: WorkClaim;
}

/** Matches while the document has the claim that it was read with, or still has none. */
export function claimedAs({ _id, claim }: Claimable) {
  return claim ? { _id, 'claim.token': claim.token } : { _id, claim: { $exists: false } };
}

/** Excludes documents with these claims. */
export function notHeld(tokens: readonly string[]) {
  return tokens.length === 0 ? {} : { 'claim.token': { $nin: tokens } };
}

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
