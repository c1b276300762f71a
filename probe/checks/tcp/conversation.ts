import type { Fault, Dialogue } from './dialogue.ts';

/** Limits for reading from a service that never finishes: bytes per line, lines, and total bytes. */
export const LIMITS = Object.freeze({ lineBytes: 4096, lines: 256, bytes: 65_536 });

const LF = 10;

/** What a connection does next: sends `send` (one character per byte), then continues with `next`. */
export interface Move {
  send: string;
  next: 'read' | 'secure' | 'close' | Fault;
}

/** The client side of a conversation, independent of the connection. Over after `close` or a fault. */
export interface Conversation {
  /** What it is waiting for, for messages: `the greeting`. */
  readonly awaited: string;
  /** Called once, when connected. */
  begin(): Move;
  /** Called for all data from the service. */
  push(bytes: Buffer): Move;
  /** Called when a requested TLS handshake is complete. */
  secured(): Move;
  /** The fault if the service goes silent or closes; null if the connection error is more informative. */
  ended(): Fault | null;
}

/** A line dialogue within LIMITS. Lines end in CR LF or a bare LF. */
export class LineConversation implements Conversation {
  readonly #dialogue: Dialogue;
  #awaited = '';
  #rest: Buffer = Buffer.alloc(0);
  #lines = 0;
  #bytes = 0;

  constructor(dialogue: Dialogue) {
    this.#dialogue = dialogue;
  }

  get awaited(): string {
    return this.#awaited;
  }

  begin(): Move {
    return this.#advance(this.#dialogue.next());
  }

  push(bytes: Buffer): Move {
    this.#bytes += bytes.length;
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    return this.#readLines();
  }

  secured(): Move {
    return this.#advance(this.#dialogue.next(''));
  }

  ended(): null {
    return null;
  }

  #readLines(): Move {
    let send = '';
    for (;;) {
      const line = this.#takeLine();
      if (line === null) return { send, next: this.#excess() ?? 'read' };
      const move = this.#advance(this.#dialogue.next(line));
      send += move.send;
      if (move.next !== 'read') return { send, next: move.next };
    }
  }

  #takeLine(): string | null {
    const end = this.#rest.indexOf(LF);
    if (end < 0 || end > LIMITS.lineBytes || this.#lines === LIMITS.lines) return null;
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    this.#lines += 1;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  #excess(): Fault | null {
    const { lineBytes, lines, bytes } = LIMITS;
    const excess = this.#rest.length > lineBytes ? `a line longer than ${lineBytes} bytes`
      : this.#lines === lines ? `more than ${lines} lines`
        : this.#bytes > bytes ? `more than ${bytes} bytes` : null;
    if (excess === null) return null;
    const message = `Expected ${this.#awaited}, got ${excess}`;
    return { type: 'connection_error', layer: 'response', message };
  }

  /** Continues to the next line that the dialogue requests. */
  #advance(step: ReturnType<Dialogue['next']>): Move {
    let send = '';
    for (;; step = this.#dialogue.next('')) {
      if (step.done) return { send: send + step.value, next: 'close' };
      const request = step.value;
      if (request.kind === 'send') send += request.text;
      else if (request.kind === 'fault') return { send, next: request.fault };
      else if (request.kind === 'secure') return { send, next: this.#injected() ?? 'secure' };
      else {
        this.#awaited = request.awaited;
        return { send, next: 'read' };
      }
    }
  }

  /**
   * Plain text after the STARTTLS response would be taken for the server's data under TLS (CVE-2011-0411).
   */
  #injected(): Fault | null {
    return this.#rest.length === 0 ? null : {
      type: 'ssl_error', layer: 'tls',
      message: 'Expected a TLS handshake, got more plain text after the reply that accepted it',
    };
  }
}
