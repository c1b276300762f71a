import type { AssignmentHistory, TakenMessage } from './take-limits.ts';

/** Limits of held batches. Batches beyond them get no response, so their probe resends them. */
const MAX_BATCHES_PER_PROBE = 8;
const MAX_HELD_BYTES = 4_194_304;

/**
 * Batches of one shard that wait for their assignments to be read. All batches of their probe wait with them,
 * so that its lanes stay in order.
 */
export class HeldBatches {
  readonly #retake: (message: TakenMessage) => void;
  readonly #byProbe = new Map<string, TakenMessage[]>();
  #bytes = 0;

  /** `retake` receives each batch again, in order. */
  constructor(retake: (message: TakenMessage) => void) {
    this.#retake = retake;
  }

  /** True if the message was queued behind others of its probe, or dropped because the queue is full. */
  queue(message: TakenMessage): boolean {
    const queue = this.#byProbe.get(message.probe_id);
    if (!queue) return false;
    if (queue.length < MAX_BATCHES_PER_PROBE && this.hasRoom) this.#add(queue, message);
    return true;
  }

  get hasRoom(): boolean {
    return this.#bytes < MAX_HELD_BYTES;
  }

  /** Holds a batch until `reading` settles. If that fails, its probe has to resend the batch. */
  hold(message: TakenMessage, reading: Promise<AssignmentHistory>): void {
    const queue: TakenMessage[] = [];
    this.#byProbe.set(message.probe_id, queue);
    this.#add(queue, message);
    const release = (history: AssignmentHistory | null): void => {
      this.#byProbe.delete(message.probe_id);
      for (const held of queue) this.#bytes -= held.bytes.length;
      const [first, ...others] = queue as [TakenMessage, ...TakenMessage[]];
      if (history) {
        const assignmentHistory = new Map([...(first.assignmentHistory ?? []), ...history]);
        this.#retake({ ...first, assignmentHistory });
      }
      for (const other of others) this.#retake(other);
    };
    reading.then(release, () => release(null));
  }

  #add(queue: TakenMessage[], message: TakenMessage): void {
    queue.push(message);
    this.#bytes += message.bytes.length;
  }
}
