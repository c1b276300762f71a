import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { Clock } from '../../shared/time.ts';
import { acceptsEncoding, type Compressed, type EncodedResponse } from '../http/responses/compressed-response.ts';
import type { FairQueue } from '../work/fair-queue.ts';
import { CONTENT_TYPES, preferredFormat, type Format } from './exposition.ts';

/** A client that has not read everything by then is disconnected, because others wait for its turn. */
const MAX_SCRAPE_MS = 60_000;
/** The lowest level takes a quarter of the time of the default one, for a tenth more bytes. */
const GZIP = { level: constants.Z_BEST_SPEED, chunkSize: 65_536 };

interface ScrapeOptions {
  clock: Clock;
  turns: Pick<FairQueue, 'run'>;
  /** Whose turn it takes. */
  organizationId: string;
  /** The text in pieces, each valid until the next but one. */
  text(format: Format): AsyncGenerator<Buffer>;
}

/** A response to a scrape: a stream in the format and encoding that the client accepts. */
export class ScrapeResponse implements Compressed {
  readonly #options: ScrapeOptions;

  constructor(options: ScrapeOptions) {
    this.#options = options;
  }

  async negotiate({ accept, 'accept-encoding': encodings }: IncomingHttpHeaders): Promise<EncodedResponse> {
    const format = preferredFormat(accept);
    const isCompressed = acceptsEncoding(encodings, 'gzip');
    return {
      status: 200, body: () => this.#open(format, isCompressed),
      headers: {
        'Content-Type': CONTENT_TYPES[format], 'Vary': 'Accept, Accept-Encoding', 'X-Frame-Options': 'DENY',
        ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
      },
    };
  }

  /** Throws SERVICE_UNAVAILABLE if too many scrapes are waiting. */
  async #open(format: Format, isCompressed: boolean): Promise<Readable> {
    const { clock, text } = this.#options;
    const endTurn = await this.#turn();
    const body = isCompressed ? createGzip(GZIP) : new PassThrough();
    const deadline = clock.setTimer(MAX_SCRAPE_MS, () => body.destroy(new Error('the client reads too slowly')));
    body.once('close', () => {
      deadline.cancel();
      endTurn();
    });
    // What is compressed is no longer needed; without that, it waits in the connection.
    const pieceOf = isCompressed ? (piece: Buffer) => piece : (piece: Buffer) => Buffer.from(piece);
    send(text(format), pieceOf, body).catch((error: Error) => body.destroy(error));
    return body;
  }

  /** Resolves to what ends the turn. */
  #turn(): Promise<() => void> {
    const { turns, organizationId } = this.#options;
    return new Promise((resolve, reject) => {
      turns.run(organizationId, () => new Promise<void>(resolve)).catch(reject);
    });
  }
}

/** Sends each piece as soon as the one before it is processed, while the next one is made. */
async function send(
  pieces: AsyncIterable<Buffer>, pieceOf: (piece: Buffer) => Buffer, into: Transform,
): Promise<void> {
  let sent = Promise.resolve();
  for await (const piece of pieces) {
    await sent;
    sent = write(into, pieceOf(piece));
    // Its rejection is noticed after the next piece.
    sent.catch(() => undefined);
  }
  await sent;
  into.end();
}

function write(into: Transform, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    into.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}
