/** After so many bytes the server is asked to confirm that it has read them. */
const MARK_EVERY_BYTES = 4 * 1024 * 1024;
/** Limit of bytes that the server has not confirmed. */
const LIMIT_BYTES = 32 * 1024 * 1024;

/**
 * Bounds what piles up in the socket's buffer behind a server that stopped reading: Node's sockets accept
 * everything, and only unanswered pings reveal a half-open connection.
 */
export class OutboundLimit {
  readonly #flush: () => Promise<void>;
  #sent = 0;
  #read = 0;
  #isAsking = false;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** False when so much is under way already that these bytes must not be sent. */
  admit(bytes: number): boolean {
    if (this.#sent - this.#read + bytes > LIMIT_BYTES) return false;
    this.#sent += bytes;
    if (!this.#isAsking && this.#sent - this.#read >= MARK_EVERY_BYTES) this.#ask();
    return true;
  }

  /** The connection is gone, and with it all that was under way. */
  reset(): void {
    this.#read = this.#sent;
    this.#isAsking = false;
  }

  #ask(): void {
    this.#isAsking = true;
    const mark = this.#sent;
    const settle = () => {
      this.#isAsking = false;
      // After a reset, more is known to be gone than this answer says.
      this.#read = Math.max(this.#read, mark);
    };
    this.#flush().then(settle, () => undefined);
  }
}
