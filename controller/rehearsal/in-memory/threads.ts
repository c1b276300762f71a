import type { PlacementDeps } from '../../delivery/causes/placement.ts';

type Thread = Parameters<PlacementDeps['threads']['open']>[0];

/** Threads of a rehearsal, in memory. Methods as of the store. */
export class RehearsedThreads {
  readonly #all = new Map<string, Thread>();
  readonly #onMessage: (thread: Thread, isOver: boolean) => void;

  /** `onMessage` is called when a message was sent. */
  constructor(onMessage: (thread: Thread, isOver: boolean) => void) {
    this.#onMessage = onMessage;
  }

  async find(id: string): Promise<Thread | null> {
    return this.#all.get(id) ?? null;
  }

  async open(thread: Thread): Promise<Thread> {
    const known = this.#all.get(thread._id);
    if (known) return known;
    this.#all.set(thread._id, thread);
    return thread;
  }

  async ofCause(causeId: string): Promise<Thread[]> {
    return [...this.#all.values()].filter(({ cause_id }) => cause_id === causeId);
  }

  async recordMessage({ _id, messages }: Thread, isOver: boolean, now: number): Promise<void> {
    const thread = this.#all.get(_id);
    if (thread?.messages !== messages) return;
    Object.assign(thread, { messages: messages + 1, last_at: now, is_over: isOver });
    this.#onMessage(thread, isOver);
  }
}
