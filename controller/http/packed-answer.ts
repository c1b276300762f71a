import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { headerLines, type AnswerText } from './answer-text.ts';

type Encoding = 'identity' | 'gzip' | 'br';

/** What one caller gets. */
export interface PackedReply {
  status: 200 | 304;
  headers: Record<string, string>;
  /** Empty for 304. */
  body: Buffer;
}

/** A reply for many callers. */
export interface ReadyReply extends PackedReply {
  /** Made for the first caller that gets it. */
  readonly text: AnswerText;
}

/** Ready bytes, in the encoding that a caller accepts. */
export interface Packed {
  reply(request: IncomingHttpHeaders): Promise<PackedReply>;
}

/** One encoding: for callers without it, and for those that hold it already. */
interface Made {
  tag: string;
  whole: ReadyReply;
  held: ReadyReply;
}

/** Of the body alone; a shorter one does not get smaller by more than it costs. */
const COMPRESSED_FROM_BYTES = 1024;
/** Twice the time of gzip, for a sixth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const MOST_SEEN = 50;
const NOTHING = Buffer.alloc(0);

/**
 * An answer that many callers get byte for byte, each in an encoding that it accepts, or as 304 if it has it
 * already. Each encoding is made once, when the first caller asks for it.
 */
export class PackedAnswer implements Packed {
  readonly #body: Buffer;
  readonly #headers: Record<string, string>;
  readonly #tag: string;
  readonly #made = new Map<Encoding, Made>();
  /** What callers accept: browsers all send one of a few texts. */
  readonly #seen = new Map<string | string[] | undefined, Encoding>();
  readonly #making = new Map<Encoding, Promise<Made>>();

  /** `headers`: all but those of the encoding. */
  constructor(body: string | Buffer, headers: Record<string, string>) {
    this.#body = typeof body === 'string' ? Buffer.from(body) : body;
    const vary = headers['Vary'] === undefined ? 'Accept-Encoding' : `${headers['Vary']}, Accept-Encoding`;
    this.#headers = { ...headers, Vary: vary };
    // Headers depend on the same content, and a reader with the old ones must not keep them.
    const digest = createHash('sha256').update(JSON.stringify(headers)).update(this.#body);
    this.#tag = digest.digest('base64url').slice(0, 22);
    if (this.#body.length < COMPRESSED_FROM_BYTES) this.#keep('identity', this.#body);
  }

  /** What it takes in memory, about: its encodings have a quarter, as bytes and as text. */
  get bytes(): number {
    return this.#body.length * 2;
  }

  /** Null while the encoding for this caller is still to be made. */
  replyAtOnce(request: IncomingHttpHeaders): ReadyReply | null {
    const made = this.#made.get(this.#encodingFor(request));
    return made === undefined ? null : unlessHeld(made, request);
  }

  async reply(request: IncomingHttpHeaders): Promise<ReadyReply> {
    const encoding = this.#encodingFor(request);
    const making = this.#making.get(encoding) ?? this.#make(encoding);
    this.#making.set(encoding, making);
    return unlessHeld(await making, request);
  }

  #encodingFor({ 'accept-encoding': accepted }: IncomingHttpHeaders): Encoding {
    if (this.#body.length < COMPRESSED_FROM_BYTES) return 'identity';
    const seen = this.#seen.get(accepted);
    if (seen !== undefined) return seen;
    const preferred = preferredEncoding(accepted);
    if (this.#seen.size < MOST_SEEN) this.#seen.set(accepted, preferred);
    return preferred;
  }

  async #make(encoding: Encoding): Promise<Made> {
    if (encoding === 'identity') return this.#keep(encoding, this.#body);
    const compressed = encoding === 'br'
      ? promisify(brotliCompress)(this.#body, BROTLI) : promisify(gzip)(this.#body);
    return this.#keep(encoding, await compressed);
  }

  #keep(encoding: Encoding, body: Buffer): Made {
    const isPlain = encoding === 'identity';
    const tag = isPlain ? `"${this.#tag}"` : `"${this.#tag}-${encoding}"`;
    const always = { ...this.#headers, ETag: tag };
    const coded: Record<string, string> = isPlain ? {} : { 'Content-Encoding': encoding };
    const whole = ready(200, { ...always, ...coded, 'Content-Length': String(body.length) }, body);
    const made: Made = { tag, whole, held: ready(304, always, NOTHING) };
    this.#made.set(encoding, made);
    return made;
  }
}

function ready(status: 200 | 304, headers: Record<string, string>, body: Buffer): ReadyReply {
  let text: AnswerText | null = null;
  return {
    status, headers, body,
    get text() {
      return text ??= { headers: headerLines(headers), body: body.toString('latin1') };
    },
  };
}

/** What a caller accepts according to its Accept-Encoding; of several, what is shortest. */
export function preferredEncoding(accepted: string | string[] | undefined): Encoding {
  if (accepted === undefined) return 'identity';
  const names = String(accepted).toLowerCase().split(',').map((part) => part.trim());
  const isAccepted = (name: string) =>
    names.some((part) => part === name || (part.startsWith(`${name};`) && !/;\s*q=0(?:\.0*)?$/.test(part)));
  return isAccepted('br') ? 'br' : isAccepted('gzip') ? 'gzip' : 'identity';
}

function unlessHeld({ tag, whole, held }: Made, { 'if-none-match': tags }: IncomingHttpHeaders): ReadyReply {
  return tags !== undefined && holdsTag(tags, tag) ? held : whole;
}

/** A proxy that compresses makes a tag weak, and hands that back. */
export function holdsTag(held: string, tag: string): boolean {
  return held.trim() === '*' || held.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
