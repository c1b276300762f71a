import type { z } from 'zod';
import type { Actor } from '../../../shared/actor/actor.ts';
import { decodeJson } from '../../../shared/contracts/decode-json.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import type { Log } from '../../../shared/log.ts';
import type { Bus } from '../../platform/bus/bus-port.ts';
import type { ShardMessage, ShardView } from './shard.ts';

const ANSWER_MS = 1000;
const LONGEST_ANSWER_BYTES = 16_777_216;

/** Something that only the controller that has a shard can tell, from memory. */
export interface ShardQuestion<Q, A> {
  /** The subject's last word. */
  name: string;
  asked: z.ZodType<Q>;
  answered: z.ZodType<A>;
  fromMemory(shard: ShardView, question: Q): A;
}

/** Infers the types of a question from its schemas. */
export function shardQuestion<Q, A>(question: ShardQuestion<Q, A>): ShardQuestion<Q, A> {
  return question;
}

export interface ShardQuestionsDeps {
  /** The shards in hand. */
  shards: { get(shard: number): Pick<Actor<ShardMessage & { kind: 'read' }>, 'ask'> | undefined };
  bus: Bus;
  log: Log;
}

/** Asks whoever has a shard: here from memory, elsewhere over the bus. */
export class ShardQuestions {
  readonly #deps: ShardQuestionsDeps;

  constructor(deps: ShardQuestionsDeps) {
    this.#deps = deps;
  }

  /** Null when nobody answers within a second. */
  async ask<Q, A>(shard: number, question: ShardQuestion<Q, A>, asked: Q): Promise<A | null> {
    try {
      const here = this.#read(shard, (view) => question.fromMemory(view, asked));
      if (here) return await here;
      const data = await this.#deps.bus.request(
        subjects.ask(shard, question.name), JSON.stringify(asked), { timeoutMs: ANSWER_MS },
      );
      return decodeJson(question.answered, data, LONGEST_ANSWER_BYTES);
    } catch (error) {
      this.#deps.log.debug({ err: error, shard, question: question.name }, 'nobody answered for a shard');
      return null;
    }
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

  #read<A>(shard: number, read: (view: ShardView) => A): Promise<A> | undefined {
    return this.#deps.shards.get(shard)?.ask<A>((answer) => ({
      kind: 'read',
      read: (view) => {
        try {
          answer(read(view));
        } catch (error) {
          // A question that goes wrong is no reason to load the shard again; it goes without an answer.
          this.#deps.log.error({ err: error, shard }, 'a question to a shard failed');
        }
      },
    }));
  }
}
