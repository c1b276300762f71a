/** Interval at which the server must confirm that it has read our bytes. */
const CONFIRM_INTERVAL_BYTES = 4 * 1024 * 1024;
/** Limit of unconfirmed bytes. */
const MAX_UNCONFIRMED_BYTES = 32 * 1024 * 1024;

/**
 * Limits the socket's buffer when a server stops reading: Node's sockets accept everything, and only
 * unanswered pings reveal a half-open connection.
 */
export class OutboundLimit {
  readonly #flush: () => Promise<void>;
  #sent = 0;
  #confirmed = 0;
  #isConfirming = false;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** False if these bytes would exceed the limit and must not be sent. */
  admit(bytes: number): boolean {
    if (this.#sent - this.#confirmed + bytes > MAX_UNCONFIRMED_BYTES) return false;
    this.#sent += bytes;
    if (!this.#isConfirming && this.#sent - this.#confirmed >= CONFIRM_INTERVAL_BYTES) this.#confirm();
    return true;
  }

  /** The connection is lost, with all unconfirmed bytes. */
  reset(): void {
    this.#confirmed = this.#sent;
    this.#isConfirming = false;
  }

  #confirm(): void {
    this.#isConfirming = true;
    const mark = this.#sent;
    const settle = () => {
      this.#isConfirming = false;
      // A reset may already have confirmed more than this response does.
      this.#confirmed = Math.max(this.#confirmed, mark);
    };
    this.#flush().then(settle, () => undefined);
  }
}
