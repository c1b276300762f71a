import type { Socket } from 'node:net';
import { frameResponse, HEADER_BYTES, parseMessage, type Request } from './message.ts';

/** Maximum message size; `hello` reports it as maxMessageSizeBytes. */
export const MAX_MESSAGE_BYTES = 48_000_000;

export interface Responder {
  /** The encoded response. Never rejects. */
  respond(request: Request): Promise<Buffer>;
  /** The encoded response to a message that could not be parsed. */
  respondWithError(error: unknown): Buffer;
}

/**
 * One client's socket. It handles one message at a time and reads no further meanwhile, so a client has at
 * most one command running and one message buffered.
 */
export class Connection {
  private readonly socket: Socket;
  private readonly responder: Responder;
  private chunks: Buffer[] = [];
  private buffered = 0;
  private isBusy = false;
  private lastResponseId = 0;

  constructor(socket: Socket, responder: Responder) {
    this.socket = socket;
    this.responder = responder;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.chunks.push(chunk);
      this.buffered += chunk.length;
      this.handleNext();
    });
    socket.on('error', () => socket.destroy());
  }

  private handleNext(): void {
    if (this.isBusy) return;
    const message = this.takeMessage();
    if (message === null) return void this.socket.resume();
    this.isBusy = true;
    this.socket.pause();
    void this.handle(message).then((isAlive) => {
      this.isBusy = false;
      if (isAlive) this.handleNext();
      else this.socket.end();
    });
  }

  /** A complete message, or null if more bytes are needed. */
  private takeMessage(): Buffer | null {
    if (this.buffered < HEADER_BYTES) return null;
    const first = this.gather(HEADER_BYTES);
    const size = first.readInt32LE(0);
    if (size < HEADER_BYTES || size > MAX_MESSAGE_BYTES) {
      this.socket.destroy();
      return null;
    }
    if (this.buffered < size) return null;
    const all = this.gather(size);
    const rest = all.subarray(size);
    this.chunks = rest.length > 0 ? [rest] : [];
    this.buffered = rest.length;
    return all.subarray(0, size);
  }

  /** Joins chunks until the first one has at least `size` bytes, and returns it. */
  private gather(size: number): Buffer {
    const first = this.chunks[0] as Buffer;
    if (first.length >= size) return first;
    const all = Buffer.concat(this.chunks);
    this.chunks = [all];
    return all;
  }

  /** Handles one message; false if the connection must end. */
  private async handle(message: Buffer): Promise<boolean> {
    let request: Request;
    try {
      request = parseMessage(message);
    } catch (error) {
      const ids = { requestId: message.readInt32LE(4), opCode: message.readInt32LE(12) };
      await this.send(frameResponse(ids, ++this.lastResponseId, this.responder.respondWithError(error)));
      return false;
    }
    const body = await this.responder.respond(request);
    if (request.wantsResponse) await this.send(frameResponse(request, ++this.lastResponseId, body));
    return !this.socket.destroyed;
  }

  /** Resolves once a slow reader has read enough for the next response. */
  private async send(bytes: Buffer): Promise<void> {
    const { socket } = this;
    if (socket.destroyed || socket.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off('drain', done);
        socket.off('close', done);
        resolve();
      };
      socket.on('drain', done);
      socket.on('close', done);
    });
  }
}
