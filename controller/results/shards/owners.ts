import type { z } from 'zod';
import { subjects } from '../../../shared/contracts/subjects.ts';
import type { Log } from '../../../shared/log.ts';
import type { Bus } from '../../platform/bus/bus-port.ts';
import type { ShardActor } from './shard-actor.ts';

const ANSWER_MS = 1000;

/** Something that only the owner of a shard can tell, from memory. */
export interface QuestionSpec<Q, A> {
  /** The subject's last word. */
  name: string;
  asked: z.ZodType<Q>;
  answered: z.ZodType<A>;
  fromMemory(actor: ShardActor, question: Q): A;
}

export interface OwnerQuestion<Q, A> extends QuestionSpec<Q, A>, Answerer {}

/** What answers one question of another controller: null when it is none. */
export interface Answerer {
  name: string;
  reply(actor: ShardActor, data: Uint8Array): string | null;
}

export function ownerQuestion<Q, A>(spec: QuestionSpec<Q, A>): OwnerQuestion<Q, A> {
  return {
    ...spec,
    reply: (actor, data) => {
      const asked = spec.asked.safeParse(parseJson(data));
      return asked.success ? JSON.stringify(spec.fromMemory(actor, asked.data)) : null;
    },
  };
}

export interface OwnersDeps {
  /** The shards in hand. */
  shards: ReadonlyMap<number, ShardActor>;
  bus: Bus;
  log: Log;
}

/** Asks the owners of shards: here from memory, elsewhere over the bus. */
export class Owners {
  readonly #deps: OwnersDeps;

  constructor(deps: OwnersDeps) {
    this.#deps = deps;
  }

  /** Null when the owner does not answer within a second. */
  async ask<Q, A>(shard: number, question: OwnerQuestion<Q, A>, asked: Q): Promise<A | null> {
    const actor = this.#deps.shards.get(shard);
    if (actor) return question.fromMemory(actor, asked);
    try {
      const data = await this.#deps.bus.request(subjects.ask(shard, question.name), JSON.stringify(asked), { timeoutMs: ANSWER_MS });
      return question.answered.parse(JSON.parse(Buffer.from(data).toString('utf8')));
    } catch (error) {
      this.#deps.log.debug({ err: error, shard, question: question.name }, 'the owner of a shard did not answer');
      return null;
    }
  }

  /** Answers another controller; null when the shard is not in hand or it is none of these questions. */
  answer(shard: number, name: string, data: Uint8Array, questions: readonly Answerer[]): string | null {
    const actor = this.#deps.shards.get(shard);
    return (actor && questions.find((one) => one.name === name)?.reply(actor, data)) ?? null;
  }
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return undefined;
  }
}
