import { Readable } from 'node:stream';

/** What may wait for a client that reads slowly, bytes; beyond that it is cut off. */
const MOST_WAITING = 512 * 1024;

/** The body of an answer that goes on: server-sent events to one client, until either side ends it. */
export class EventStream extends Readable {
  #isFinished = false;

  /** False when the client is gone, or was cut off since it does not read. */
  send(text: string): boolean {
    if (this.#isFinished || this.destroyed) return false;
    this.push(text);
    if (this.readableLength <= MOST_WAITING) return true;
    this.destroy();
    return false;
  }

  /** Ends the answer in good order: what was sent before still arrives. */
  finish(): void {
    if (this.#isFinished || this.destroyed) return;
    this.#isFinished = true;
    this.push(null);
  }

  /** Calls `listener` once, when nothing can be sent any more. */
  onGone(listener: () => void): void {
    this.once('close', listener);
  }

  override _read(): void {
    // Whoever has something to say pushes it.
  }
}
