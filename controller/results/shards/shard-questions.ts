import type { z } from 'zod';
import type { Actor } from '../../../shared/actor/actor.ts';
import { decodeJson } from '../../../shared/contracts/decode-json.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import { sleep, type Clock } from '../../../shared/time.ts';
import type { Bus } from '../../platform/bus/bus-port.ts';
import type { ShardMessage, ShardView } from './shard-message.ts';

const ANSWER_MS = 1000;
const LONGEST_ANSWER_BYTES = 16_777_216;
/** How long a question waits for an owner: longer than a clean move or a restart leaves a shard alone. */
const WAIT_MS = 3000;
/** The wait before a question is repeated; it doubles. An owner that has arrived is found this soon. */
const FIRST_REPEAT_MS = 50;
const LONGEST_REPEAT_MS = 250;
/** Questions that may wait for owners at once; each repeats up to 14 times. Further ones fail at once. */
const MOST_WAITING = 500;

/** Something that only the controller that has a shard can tell, from memory. */
export interface ShardQuestion<Q, A> {
  /** The subject's last word. */
  name: string;
  asked: z.ZodType<Q>;
  answered: z.ZodType<A>;
  fromMemory(shard: ShardView, question: Q): A;
}

type Reading<A> = { answer: A } | { error: unknown };
/** `isFinal`: the same question would fail again. */
type Attempt<A> = { answer: A } | { why: unknown; isFinal: boolean };

/** A shard in hand could not answer because of a bug or a bad document. */
class QuestionFailed extends Error {}

/** Infers the types of a question from its schemas. */
export function shardQuestion<Q, A>(question: ShardQuestion<Q, A>): ShardQuestion<Q, A> {
  return question;
}

export interface ShardQuestionsDeps {
  clock: Clock;
  /** The shards in hand. */
  shards: { get(shard: number): Pick<Actor<ShardMessage & { kind: 'read' }>, 'ask'> | undefined };
  /** False while another controller may have taken over the shards in hand: what they hold may be old. */
  isCurrent(): boolean;
  bus: Bus;
  log: Log;
}

/** Asks whoever has a shard: here from memory, elsewhere over the bus. */
export class ShardQuestions {
  readonly #deps: ShardQuestionsDeps;
  #waiting = 0;

  constructor(deps: ShardQuestionsDeps) {
    this.#deps = deps;
  }

  /**
   * Asks until an owner answers: numbers without an owner's part would be too small.
   * @throws AppError SERVICE_UNAVAILABLE when nobody answers within 3 s.
   */
  async ask<Q, A>(shard: number, question: ShardQuestion<Q, A>, asked: Q): Promise<A> {
    const { clock } = this.#deps;
    const deadline = clock.monotonic() + WAIT_MS;
    const first = await this.#attempt(shard, question, asked, ANSWER_MS);
    if ('answer' in first) return first.answer;
    if (first.isFinal || this.#waiting >= MOST_WAITING) throw ownerAway(first.why);
    this.#waiting += 1;
    try {
      for (let waitMs = FIRST_REPEAT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_REPEAT_MS)) {
        await sleep(clock, waitMs);
        const timeoutMs = Math.max(1, Math.min(ANSWER_MS, deadline - clock.monotonic()));
        const next = await this.#attempt(shard, question, asked, timeoutMs);
        if ('answer' in next) return next.answer;
        if (next.isFinal || clock.monotonic() >= deadline) throw ownerAway(next.why);
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Null when nobody has the shard, or its owner does not answer within a second. */
  async askOnce<Q, A>(shard: number, question: ShardQuestion<Q, A>, asked: Q): Promise<A | null> {
    const outcome = await this.#attempt(shard, question, asked, ANSWER_MS);
    return 'answer' in outcome ? outcome.answer : null;
  }

  /** Answers another controller; null when the shard is not in hand, or it is none of these questions. */
  async answer(
    shard: number, name: string, data: Uint8Array, questions: readonly ShardQuestion<unknown, unknown>[],
  ): Promise<string | null> {
    const question = questions.find((one) => one.name === name);
    const asked = question ? decodeJson(question.asked, data) : null;
    if (!question || asked === null) return null;
    return (await this.#read(shard, (view) => JSON.stringify(question.fromMemory(view, asked)))) ?? null;
  }

  async #attempt<Q, A>(
    shard: number, question: ShardQuestion<Q, A>, asked: Q, timeoutMs: number,
  ): Promise<Attempt<A>> {
    const { bus, log } = this.#deps;
    try {
      const here = this.#read(shard, (view) => question.fromMemory(view, asked));
      if (here) return { answer: await here };
      const data =
        await bus.request(subjects.ask(shard, question.name), JSON.stringify(asked), { timeoutMs });
      const answer = decodeJson(question.answered, data, LONGEST_ANSWER_BYTES);
      if (answer !== null) return { answer };
      throw new Error(`the owner of shard ${shard} answered with something else`);
    } catch (error) {
      log.debug({ err: error, shard, question: question.name }, 'no controller responded for a shard');
      return { why: error, isFinal: error instanceof QuestionFailed };
    }
  }

  async #answered<A>(shard: number, asking: Promise<Reading<A>>): Promise<A> {
    const reading = await asking;
    if ('answer' in reading) return reading.answer;
    this.#deps.log.error({ err: reading.error, shard }, 'a request to a shard failed');
    throw new QuestionFailed('a request failed', { cause: reading.error });
  }

  /** A question that goes wrong is no reason to load the shard again: the error is part of the reading. */
  #read<A>(shard: number, read: (view: ShardView) => A): Promise<A> | undefined {
    const actor = this.#deps.isCurrent() ? this.#deps.shards.get(shard) : undefined;
    const asking = actor?.ask<Reading<A>>((answer) => ({
      kind: 'read',
      read: (view) => {
        try {
          answer({ answer: read(view) });
        } catch (error) {
          answer({ error });
        }
      },
    }));
    return asking && this.#answered(shard, asking);
  }
}

function ownerAway(cause: unknown): AppError {
  const message = 'Some results are moving to another controller; try again';
  return new AppError('SERVICE_UNAVAILABLE', message, { cause });
}
