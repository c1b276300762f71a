/** After so many bytes the server is asked for a sign that it has read them. */
const MARK_EVERY_BYTES = 4 * 1024 * 1024;
/** Most bytes that the server has not been seen to read; what comes above is refused. */
const LIMIT_BYTES = 32 * 1024 * 1024;

/**
 * Bounds what piles up in the socket's buffer behind a server that stopped reading: Node's sockets take
 * everything, and a half-open connection is only noticed by its pings.
 */
export class OutboundLimit {
  readonly #flush: () => Promise<void>;
  #sent = 0;
  #read = 0;
  #isAsking = false;
  #generation = 0;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** False: not to be sent, since too much is under way already. */
  admit(bytes: number): boolean {
    if (this.#sent - this.#read + bytes > LIMIT_BYTES) return false;
    this.#sent += bytes;
    if (!this.#isAsking && this.#sent - this.#read >= MARK_EVERY_BYTES) this.#ask();
    return true;
  }

  /** The connection is gone, and with it all that was under way. */
  reset(): void {
    this.#generation += 1;
    this.#read = this.#sent;
    this.#isAsking = false;
  }

  #ask(): void {
    this.#isAsking = true;
    const mark = this.#sent;
    const generation = this.#generation;
    const settle = () => {
      if (generation !== this.#generation) return;
      this.#isAsking = false;
      this.#read = mark;
    };
    this.#flush().then(settle, () => undefined);
  }
}
