import type { Fault, Dialogue } from './dialogue.ts';

/** What is read of a service that does not come to an end: bytes of one line, lines, and bytes in all. */
export const LIMITS = Object.freeze({ lineBytes: 4096, lines: 256, bytes: 65_536 });

const LF = 10;

/** What a connection does next: sends `send` (one byte a character) and then goes on as `next` says. */
export interface Move {
  send: string;
  next: 'read' | 'secure' | 'close' | Fault;
}

/** One side of a connection to a service, without the connection. After `close` or a fault it is over. */
export interface Conversation {
  /** What it waits for, for messages: `the greeting`. */
  readonly awaited: string;
  /** Once, when the connection stands. */
  begin(): Move;
  /** For everything that the service sends. */
  push(bytes: Buffer): Move;
  /** When TLS stands that a move has asked for. */
  secured(): Move;
  /** What was wrong when the service falls silent or closes; null if the connection tells that better. */
  ended(): Fault | null;
}

/** A dialogue of lines, which end in CR LF or a bare LF, within LIMITS. */
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

  /** Goes on to the next line that the dialogue asks for. */
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

  /** Plain text behind the reply to STARTTLS would pass for the server's words under TLS (CVE-2011-0411). */
  #injected(): Fault | null {
    return this.#rest.length === 0 ? null : {
      type: 'ssl_error', layer: 'tls',
      message: 'Expected a TLS handshake, got more plain text after the reply that accepted it',
    };
  }
}
