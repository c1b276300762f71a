/**
 * What a full mailbox does with one more message. `reject`: it is not taken, and the sender is told. `drop_newest`:
 * it is dropped and only counted. `drop_oldest`: it is taken, and the one that has waited longest is dropped and counted.
 */
export type Overflow = 'reject' | 'drop_oldest' | 'drop_newest';

export interface MailboxOptions {
  /** Most messages that wait at once, 1 or more. */
  readonly capacity: number;
  readonly overflow: Overflow;
}

/** A bounded first-in first-out queue. An empty one holds no memory for messages. */
export class Mailbox<Message> {
  readonly #capacity: number;
  readonly #overflow: Overflow;
  #items: Message[] = [];
  #head = 0;
  #lost = 0;

  constructor(options: MailboxOptions) {
    if (!(options.capacity >= 1)) throw new RangeError('a mailbox holds at least one message');
    this.#capacity = options.capacity;
    this.#overflow = options.overflow;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Messages rejected or dropped since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** False only when the message was rejected; the policies that drop do not trouble the sender. */
  put(message: Message): boolean {
    if (this.size >= this.#capacity) {
      this.#lost += 1;
      if (this.#overflow === 'reject') return false;
      if (this.#overflow === 'drop_newest') return true;
      this.take();
    }
    this.#items.push(message);
    return true;
  }

  /** The message that has waited longest. Ask `size` first: undefined may be a message too. */
  take(): Message | undefined {
    if (this.#head >= this.#items.length) return undefined;
    const message = this.#items[this.#head];
    this.#items[this.#head] = undefined as Message;
    this.#head += 1;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head >= 64 && this.#head * 2 >= this.#items.length) this.#compact();
    return message;
  }

  /** Forgets all that waits. */
  clear(): void {
    this.#items.length = 0;
    this.#head = 0;
  }

  /** Moving the rest down when half is taken costs one step per message, as a whole. */
  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
