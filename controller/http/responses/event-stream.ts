import { Readable } from 'node:stream';

const MAX_BACKLOG_BYTES = 512 * 1024;

/** Body of a long-lived response: server-sent events to one client, until either side ends it. */
export class EventStream extends Readable {
  readonly #maxBacklogBytes: number;
  #isFinished = false;

  /** @param maxBacklogBytes bytes that may queue for a slow client; above that it is disconnected */
  constructor(maxBacklogBytes = MAX_BACKLOG_BYTES) {
    super();
    this.#maxBacklogBytes = maxBacklogBytes;
  }

  /** False if the client is gone or was disconnected for being too slow. */
  send(text: string): boolean {
    if (this.#isFinished || this.destroyed) return false;
    this.push(text);
    if (this.readableLength <= this.#maxBacklogBytes) return true;
    this.destroy();
    return false;
  }

  /** Ends the response once the client has received everything sent so far. */
  finish(): void {
    if (this.#isFinished || this.destroyed) return;
    this.#isFinished = true;
    this.push(null);
  }

  /** Calls `listener` once, when the stream can no longer send. */
  onClose(listener: () => void): void {
    this.once('close', listener);
  }

  override _read(): void {
    // Required by Readable; `send` pushes the data.
  }
}
