import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import { parseHttpUrl } from '../../../shared/net-guard.ts';
import type { Clock } from '../../../shared/time.ts';
import type { AddressVetting } from './address-vetting.ts';
import { connectionFailure, RefusedAddress } from './connection-failure.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { GetOutcome, GetRequest, OutboundReader, QueryOutcome, QueryRequest } from './reader-port.ts';

const MAX_CONNECTIONS_PER_ORIGIN = 4;
const STOPPED = 'canceled because Farwatch is stopping';
/** Some servers refuse requests without one. */
const USER_AGENT = 'Farwatch';

/** Reads whole responses within the limits of each request. */
export class GuardedReader implements OutboundReader {
  readonly #clock: Clock;
  readonly #connect: ReturnType<typeof guardedConnector>;
  readonly #agent: Agent;
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  constructor({ clock, vetting }: { clock: Clock; vetting: AddressVetting }) {
    this.#clock = clock;
    this.#connect = guardedConnector(vetting, () => USER_AGENT);
    this.#agent = new Agent({
      connect: this.#connect, connections: MAX_CONNECTIONS_PER_ORIGIN, pipelining: 1,
      headersTimeout: 0, bodyTimeout: 0,
    });
  }

  async get({ url, accept, limitBytes, timeoutMs }: GetRequest): Promise<GetOutcome> {
    const target = parseHttpUrl(url);
    if (!target.ok) return { kind: 'refused', reason: `the address ${target.reason}` };
    const { origin, pathname, search } = target.url;
    return this.#runWithin<GetOutcome>(timeoutMs, async (signal) => {
      const path = `${pathname}${search}`;
      const sent = { accept, 'user-agent': USER_AGENT };
      const request = { origin, path, method: 'GET', headers: sent, signal } as const;
      const { statusCode: status, headers, body } = await this.#agent.request(request);
      const location = typeof headers.location === 'string' ? headers.location : null;
      return { kind: 'responded', status, location, body: await readAll(body, limitBytes) };
    });
  }

  query({ host, port, line, limitBytes, timeoutMs }: QueryRequest): Promise<QueryOutcome> {
    return this.#runWithin<QueryOutcome>(timeoutMs, async (signal) => {
      const socket = await this.#socketTo(host, port, signal);
      const abort = () => socket.destroy(new Error(String(signal.reason)));
      signal.addEventListener('abort', abort, { once: true });
      try {
        socket.write(`${line}\r\n`);
        return { kind: 'responded', body: await readAll(socket, limitBytes) };
      } finally {
        socket.destroy();
      }
    });
  }

  /** Aborts requests in progress and closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const request of this.#running) request.abort(STOPPED);
    await this.#agent.destroy();
  }

  async #runWithin<Outcome>(
    timeoutMs: number, read: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome | { kind: 'refused' | 'failed'; reason: string }> {
    if (this.#isClosed) return { kind: 'failed', reason: STOPPED };
    const end = new AbortController();
    const onTimeout = () => end.abort(`no complete response within ${timeoutMs / 1000} seconds`);
    const timer = this.#clock.setTimer(timeoutMs, onTimeout);
    this.#running.add(end);
    try {
      return await read(end.signal);
    } catch (error) {
      if (error instanceof RefusedAddress) return { kind: 'refused', reason: error.message };
      const reason = end.signal.aborted ? String(end.signal.reason) : connectionFailure(error);
      return { kind: 'failed', reason };
    } finally {
      timer.cancel();
      this.#running.delete(end);
    }
  }

  #socketTo(host: string, port: number, signal: AbortSignal) {
    const target = { hostname: host, host, protocol: 'http:', port: String(port) };
    return new Promise<Readable & { write(text: string): unknown }>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error(String(signal.reason))), { once: true });
      this.#connect(target, (...[error, socket]) => {
        if (error) return reject(error);
        // The connection took longer than the query's timeout.
        if (signal.aborted) return void socket.destroy();
        socket.on('error', () => undefined);
        resolve(socket);
      });
    });
  }
}

/** Rejects above `limitBytes`. Leaving the loop early ends the stream. */
async function readAll(stream: Readable, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw new Error(`the response is larger than ${limitBytes / 1024} kB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
