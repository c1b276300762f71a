import type { z } from 'zod';
import type { ActorRef } from '../../../shared/actor/actor-ref.ts';
import { backoffMs } from '../../../shared/backoff.ts';
import { decodeJson } from '../../../shared/contracts/bytes.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import type { Log } from '../../../shared/log.ts';
import type { ShardMap } from '../../../shared/ids.ts';
import { sleep, type Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Bus } from '../../platform/bus/bus-port.ts';
import type { ShardMessage, ShardView } from './shard-message.ts';

const RESPONSE_TIMEOUT_MS = 1000;
const MAX_RESPONSE_BYTES = 16_777_216;
/** How long a query waits for an owner: longer than a clean move or a restart leaves a shard without one. */
const MAX_WAIT_MS = 3000;
/** First retry delay, which doubles. A new owner is found this fast. */
const BACKOFF = { minMs: 50, maxMs: 250 };
/** Queries that may wait for owners concurrently; each retries up to 14 times. Further ones fail at once. */
const MAX_WAITING = 500;

/** A query that only the owner of a shard can process, from memory. */
export interface ShardQuery<Q, A> {
  /** Last token of the subject. */
  name: string;
  params: z.ZodType<Q>;
  response: z.ZodType<A>;
  /** True if a response needs all results of recent hours. */
  needsHours?: boolean;
  fromMemory(shard: ShardView, params: Q): A;
}

type Reading<A> = { value: A } | { error: unknown } | 'catching up';
/** `isFinal`: a retry would fail again. */
type Attempt<A> = { response: A } | { cause: unknown; isFinal: boolean };

/** A local shard failed because of a bug or a bad document. */
class QueryFailedError extends Error {}

/** Infers the types of a query from its schemas. */
export function shardQuery<Q, A>(query: ShardQuery<Q, A>): ShardQuery<Q, A> {
  return query;
}

export interface ShardQueriesDeps {
  clock: Clock;
  shardMap: ShardMap;
  /** The local shards. */
  shards: { get(shard: number): Pick<ActorRef<ShardMessage & { kind: 'read' }>, 'ask'> | undefined };
  /** False if another controller may have taken over the local shards, whose data may be outdated. */
  leases: { readonly areCurrent: boolean };
  bus: Bus;
  log: Log;
}

/** Queries the owner of a shard: from memory if it is local, otherwise over the bus. */
export class ShardQueries {
  readonly shardMap: ShardMap;
  readonly #deps: ShardQueriesDeps;
  #waiting = 0;

  constructor(deps: ShardQueriesDeps) {
    this.#deps = deps;
    this.shardMap = deps.shardMap;
  }

  /**
   * Retries until an owner responds: numbers without an owner's part would be too small.
   * @throws AppError SERVICE_UNAVAILABLE if no owner responds within 3 s.
   */
  async request<Q, A>(shard: number, query: ShardQuery<Q, A>, params: Q): Promise<A> {
    const { clock } = this.#deps;
    const deadline = clock.monotonic() + MAX_WAIT_MS;
    const first = await this.#attempt(shard, query, params, RESPONSE_TIMEOUT_MS);
    if ('response' in first) return first.response;
    if (first.isFinal || this.#waiting >= MAX_WAITING) throw ownerUnavailable(first.cause);
    this.#waiting += 1;
    try {
      for (let failures = 1; ; failures += 1) {
        await sleep(clock, backoffMs(failures, BACKOFF));
        const timeoutMs = Math.max(1, Math.min(RESPONSE_TIMEOUT_MS, deadline - clock.monotonic()));
        const next = await this.#attempt(shard, query, params, timeoutMs);
        if ('response' in next) return next.response;
        if (next.isFinal || clock.monotonic() >= deadline) throw ownerUnavailable(next.cause);
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Null if the shard has no owner, or the owner does not respond within a second. */
  async requestOnce<Q, A>(shard: number, query: ShardQuery<Q, A>, params: Q): Promise<A | null> {
    const outcome = await this.#attempt(shard, query, params, RESPONSE_TIMEOUT_MS);
    return 'response' in outcome ? outcome.response : null;
  }

  /** Responds to another controller; null if the shard is not local or the query is unknown. */
  async respond(
    shard: number, name: string, data: Uint8Array, queries: readonly ShardQuery<unknown, unknown>[],
  ): Promise<string | null> {
    const query = queries.find((one) => one.name === name);
    const params = query ? decodeJson(query.params, data) : null;
    if (!query || params === null) return null;
    const read = (view: ShardView): string => JSON.stringify(query.fromMemory(view, params));
    return (await this.#read(shard, query, read, RESPONSE_TIMEOUT_MS)) ?? null;
  }

  async #attempt<Q, A>(
    shard: number, query: ShardQuery<Q, A>, params: Q, timeoutMs: number,
  ): Promise<Attempt<A>> {
    const { bus, log } = this.#deps;
    try {
      const here = this.#read(shard, query, (view) => query.fromMemory(view, params), timeoutMs);
      if (here) return { response: await here };
      const data =
        await bus.request(subjects.query(shard, query.name), JSON.stringify(params), { timeoutMs });
      const response = decodeJson(query.response, data, MAX_RESPONSE_BYTES);
      if (response !== null) return { response };
      throw new Error(`the owner of shard ${shard} sent an invalid response`);
    } catch (error) {
      log.debug({ err: error, shard, query: query.name }, 'no controller responded for a shard');
      return { cause: error, isFinal: error instanceof QueryFailedError };
    }
  }

  async #valueOf<A>(shard: number, pending: Promise<Reading<A>>): Promise<A> {
    const result = await pending;
    if (result === 'catching up') throw new Error('the results of recent hours are still being read');
    if ('value' in result) return result.value;
    this.#deps.log.error({ err: result.error, shard }, 'a request to a shard failed');
    throw new QueryFailedError('a request failed', { cause: result.error });
  }

  /** Returns an error as part of the result, because a failed query is no reason to reload the shard. */
  #read<A>(
    shard: number, { needsHours = false }: Pick<ShardQuery<never, unknown>, 'needsHours'>,
    read: (view: ShardView) => A, timeoutMs: number,
  ): Promise<A> | undefined {
    const actor = this.#deps.leases.areCurrent ? this.#deps.shards.get(shard) : undefined;
    const pending = actor?.ask<Reading<A>>((respond) => ({
      kind: 'read',
      read: (view) => {
        try {
          respond(needsHours && !view.isWhole ? 'catching up' : { value: read(view) });
        } catch (error) {
          respond({ error });
        }
      },
    }), timeoutMs);
    return pending && this.#valueOf(shard, pending);
  }
}

function ownerUnavailable(cause: unknown): AppError {
  const message = 'Some results are moving to another controller; try again';
  return new AppError('SERVICE_UNAVAILABLE', message, { cause });
}
