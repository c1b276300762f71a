/** After so many bytes the server is asked to confirm that it has read them. */
const CONFIRM_INTERVAL_BYTES = 4 * 1024 * 1024;
/** Limit of bytes that the server has not confirmed. */
const MAX_UNCONFIRMED_BYTES = 32 * 1024 * 1024;

/**
 * Bounds what piles up in the socket's buffer behind a server that stopped reading: Node's sockets accept
 * everything, and only unanswered pings reveal a half-open connection.
 */
export class OutboundLimit {
  readonly #flush: () => Promise<void>;
  #sent = 0;
  #confirmed = 0;
  #isConfirming = false;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** False when so much is under way already that these bytes must not be sent. */
  admit(bytes: number): boolean {
    if (this.#sent - this.#confirmed + bytes > MAX_UNCONFIRMED_BYTES) return false;
    this.#sent += bytes;
    if (!this.#isConfirming && this.#sent - this.#confirmed >= CONFIRM_INTERVAL_BYTES) this.#confirm();
    return true;
  }

  /** The connection is gone, and with it all that was under way. */
  reset(): void {
    this.#confirmed = this.#sent;
    this.#isConfirming = false;
  }

  #confirm(): void {
    this.#isConfirming = true;
    const mark = this.#sent;
    const settle = () => {
      this.#isConfirming = false;
      // After a reset, more is known to be gone than this answer says.
      this.#confirmed = Math.max(this.#confirmed, mark);
    };
    this.#flush().then(settle, () => undefined);
  }
}
