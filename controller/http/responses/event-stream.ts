import { Readable } from 'node:stream';

const MAX_BACKLOG_BYTES = 512 * 1024;

/** The body of an answer that lasts: server-sent events to one client, until either side ends it. */
export class EventStream extends Readable {
  readonly #largestBacklog: number;
  #isFinished = false;

  /** @param maxBacklogBytes bytes that may wait for a slow client; beyond that it is disconnected */
  constructor(maxBacklogBytes = MAX_BACKLOG_BYTES) {
    super();
    this.#largestBacklog = maxBacklogBytes;
  }

  /** False when the client is gone, or was disconnected because it does not read. */
  send(text: string): boolean {
    if (this.#isFinished || this.destroyed) return false;
    this.push(text);
    if (this.readableLength <= this.#largestBacklog) return true;
    this.destroy();
    return false;
  }

  /** Ends the answer after everything sent so far has arrived. */
  finish(): void {
    if (this.#isFinished || this.destroyed) return;
    this.#isFinished = true;
    this.push(null);
  }

  /** Calls `listener` once, when nothing can be sent any more. */
  onClose(listener: () => void): void {
    this.once('close', listener);
  }

  override _read(): void {
    // `send` pushes.
  }
}
