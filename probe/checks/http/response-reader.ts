import { EXCERPT_BYTES } from '../check.ts';
import { BodyFraming, type ContentSink } from './body-framing.ts';
import type { Holding } from './held-bytes.ts';
import { HeadReader, type ResponseHead } from './response-head.ts';

/** A body counts as good once this much has arrived, in bytes on the wire. */
export const MAX_BODY_BYTES = 262_144;
const MAX_INTERIM = 20;

/** Read limit for a body that decides nothing; most servers can send all of theirs within it. */
const MAX_DRAINED_BYTES = 65_536;

/** What a check needs from a body. */
export type BodyUse =
  /** Only its start: the head has already decided. */
  | 'start'
  /** The complete body. */
  | 'whole'
  /** The complete body and its content. */
  | 'content';

export type ReadOutcome =
  /** Everything needed has arrived. */
  | { kind: 'end' }
  | { kind: 'partial' }
  /** The target is at fault. */
  | { kind: 'bad'; problem: string };

const PARTIAL: ReadOutcome = Object.freeze({ kind: 'partial' });
const END: ReadOutcome = Object.freeze({ kind: 'end' });

export interface ReaderOptions {
  /** Whether a response to this request never has a body. */
  bodiless: boolean;
  /** Called once, when the head is complete. */
  useOf: (head: ResponseHead) => BodyUse;
  /** Captures the body, still encoded, if `content` is requested. */
  holding: Holding;
}

/** Reads one response as it arrives, from its head to the end of the required body. */
export class ResponseReader implements ContentSink {
  readonly #options: ReaderOptions;
  #headReader = new HeadReader();
  #head: ResponseHead | null = null;
  #interim = 0;
  #use: BodyUse = 'start';
  #framing: BodyFraming | null = null;
  #wireBytes = 0;
  #isCut = false;
  #excerpt = '';

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Null until complete. */
  get head(): ResponseHead | null {
    return this.#head;
  }

  get use(): BodyUse {
    return this.#use;
  }

  /** Bytes of body so far, without framing. */
  get received(): number {
    return this.#framing?.received ?? 0;
  }

  /** Whether reading stopped at the limit, before the body's end. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The first EXCERPT_BYTES of the body, one character per byte. */
  get excerpt(): string {
    return this.#excerpt;
  }

  /** Processes `piece[start, end)`, which may be overwritten after the call. Don't call it after an end. */
  push(piece: Uint8Array, start: number, end: number): ReadOutcome {
    if (this.#framing) return this.#readBody(this.#framing, piece, start, end);
    for (let at = start; ;) {
      const outcome = this.#headReader.push(piece, at, end);
      if (outcome.kind === 'bad') return { kind: 'bad', problem: `Not a valid HTTP response: ${outcome.problem}` };
      if (outcome.kind === 'partial') return PARTIAL;
      const { head, rest } = outcome;
      at = end - rest;
      if (head.status >= 200 || head.status === 101) return this.#begin(head, piece, at, end);
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM) {
        return { kind: 'bad', problem: `Not a valid HTTP response: more than ${MAX_INTERIM} interim responses` };
      }
      this.#headReader = new HeadReader();
      if (rest === 0) return PARTIAL;
    }
  }

  /** Handles a closed connection. Don't call it after an end. */
  close(): ReadOutcome {
    if (!this.#framing) return { kind: 'bad', problem: 'Connection closed before a response arrived' };
    const problem = this.#framing.close();
    return problem === null || this.#use === 'start' ? END : { kind: 'bad', problem };
  }

  take(bytes: Uint8Array, start: number, end: number): void {
    const shown = Math.min(end, start + EXCERPT_BYTES - this.#excerpt.length);
    if (shown > start) this.#excerpt += view(bytes, start, shown).toString('latin1');
    if (this.#use === 'content') this.#options.holding.append(bytes, start, end);
  }

  #begin(head: ResponseHead, piece: Uint8Array, start: number, end: number): ReadOutcome {
    this.#head = head;
    this.#options.holding.grow(head.text.length);
    this.#use = this.#options.useOf(head);
    if (hasNoBody(head, this.#options.bodiless)) return END;
    if (head.lengthProblem !== null && !head.chunked) {
      return this.#use === 'start' ? END : { kind: 'bad', problem: head.lengthProblem };
    }
    this.#framing = new BodyFraming(head.chunked ? 'chunked' : (head.contentLength ?? 'close'), this);
    return this.#readBody(this.#framing, piece, start, end);
  }

  #readBody(framing: BodyFraming, piece: Uint8Array, start: number, end: number): ReadOutcome {
    const limit = this.#use === 'start' ? MAX_DRAINED_BYTES : MAX_BODY_BYTES;
    const stop = Math.min(end, start + limit - this.#wireBytes);
    this.#wireBytes += stop - start;
    const outcome = framing.push(piece, start, stop);
    if (outcome.kind === 'partial') {
      this.#isCut = this.#wireBytes >= limit;
      return this.#isCut ? END : PARTIAL;
    }
    if (this.#use === 'start') return END;
    return outcome.kind === 'bad' ? outcome : excess(piece, stop - outcome.rest, end, framing);
  }
}

function hasNoBody({ status }: ResponseHead, bodiless: boolean): boolean {
  return bodiless || status === 204 || status === 304 || status === 101;
}

/**
 * Our requests ask the server to close, so excess bytes mean a wrong Content-Length that truncates the page
 * for users. Trailing newlines are ignored. Bytes in later pieces aren't awaited.
 */
function excess(piece: Uint8Array, start: number, end: number, framing: BodyFraming): ReadOutcome {
  for (let at = start; at < end; at += 1) {
    if (piece[at] !== 10 && piece[at] !== 13) {
      return { kind: 'bad', problem: `Expected ${framing.received} bytes of body, got more` };
    }
  }
  return END;
}

function view(bytes: Uint8Array, start: number, end: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
}
