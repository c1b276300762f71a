import { LIMITS, type Conversation, type Move } from './conversation.ts';
import { quoted, type Fault } from './dialogue.ts';

/** Maximum bytes of received data quoted in a message. */
const MAX_QUOTED_BYTES = 200;

/** Sends some bytes and searches the first LIMITS.bytes received for others. */
export class GenericConversation implements Conversation {
  readonly #send: string;
  readonly #expect: Buffer | null;
  /** Received bytes that may be the start of the expected ones. */
  #tail: Buffer = Buffer.alloc(0);
  #received = '';
  #bytes = 0;

  /** One character per byte; null for nothing. */
  constructor(send: string | null, expect: string | null) {
    this.#send = send ?? '';
    this.#expect = expect === null ? null : Buffer.from(expect, 'latin1');
  }

  get awaited(): string {
    return 'the expected text';
  }

  begin(): Move {
    return { send: this.#send, next: this.#expect === null ? 'close' : 'read' };
  }

  push(bytes: Buffer): Move {
    const expect = this.#expect as Buffer;
    const unsearched = Buffer.concat([this.#tail, bytes.subarray(0, LIMITS.bytes - this.#bytes)]);
    this.#bytes += bytes.length;
    if (this.#received.length < MAX_QUOTED_BYTES) this.#received += bytes.toString('latin1', 0, MAX_QUOTED_BYTES);
    if (unsearched.includes(expect)) return { send: '', next: 'close' };
    if (this.#bytes >= LIMITS.bytes) return { send: '', next: this.#missing(`the first ${LIMITS.bytes} bytes`) };
    this.#tail = unsearched.subarray(Math.max(0, unsearched.length - expect.length + 1));
    return { send: '', next: 'read' };
  }

  secured(): Move {
    throw new Error('A generic conversation has asked for no TLS');
  }

  ended(): Fault | null {
    return this.#received === '' ? null : this.#missing('the response');
  }

  #missing(where: string): Fault {
    const expected = quoted((this.#expect as Buffer).toString('latin1'));
    return {
      type: 'keyword_missing', layer: 'content',
      message: `Expected ${expected} in ${where}, got ${quoted(this.#received)}`,
    };
  }
}
