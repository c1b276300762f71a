import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { WebSocket } from 'ws';
import type { Log } from '../../../shared/log.ts';
import { endpointOf } from '../../../shared/net-guard.ts';
import { natsUrls } from '../../../shared/nats-connection.ts';
import type { Clock } from '../../../shared/time.ts';
import type { NatsBus } from './bus.ts';

/** Shorter than the idle timeouts of proxies, even very short ones. */
const PING_INTERVAL_MS = 5000;
const CONNECT_TIMEOUT_MS = 3000;
const MAX_INFO_BYTES = 65_536;
/** What a client that NATS has not admitted yet may send; its CONNECT has at most 4 kB. */
const MAX_BYTES_BEFORE_ADMISSION = 16_384;
/** Above this many unsent bytes, nothing is read from NATS. */
const MAX_BUFFERED_BYTES = 262_144;
/** About the server itself, which the client doesn't reach. */
const SERVER_FIELDS =
  ['tls_required', 'tls_verify', 'tls_available', 'connect_urls', 'ws_connect_urls', 'client_ip'];
const INFO = /^INFO +(\{.*\}) *\r\n/;
const REFUSAL = '-ERR';

/** WebSocket close codes. */
const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;
const TRY_AGAIN_LATER = 1013;

interface RelayOptions {
  bus: Pick<NatsBus, 'server'>;
  /** The controller's NATS URLs. */
  url: string;
  clock: Clock;
  log: Log;
}

/**
 * Carries the NATS protocol between WebSockets and the server to which this controller is connected, which
 * authenticates each client. Every WebSocket has its own connection there, from the controller's address.
 */
export class BusRelay {
  readonly #options: RelayOptions;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** `carrier` is the socket of the WebSocket. */
  readonly open = (client: WebSocket, carrier: Socket): void => {
    const { clock, log } = this.#options;
    client.on('error', (error) => log.debug({ err: error }, 'WebSocket failed'));
    client.pause();
    const { host, port } = endpointOf(new URL(`nats://${this.#options.bus.server}`));
    const server = connect({ host, port, noDelay: true });
    const pings = clock.setRepeating(PING_INTERVAL_MS, () => client.ping());
    client.once('close', () => {
      pings.cancel();
      server.destroySoon();
    });
    this.#prepare(server, host).then(
      ({ stream, info }) => {
        if (client.readyState !== client.OPEN) return stream.destroy();
        client.send(info);
        pipe(client, stream);
        limitUntilAdmitted(client, stream, carrier);
        return client.resume();
      },
      (error: unknown) => {
        log.warn({ err: error }, 'could not connect a WebSocket to NATS');
        server.destroy();
        end(client, TRY_AGAIN_LATER);
      },
    );
  };

  /** The server's INFO as the client gets it, and the stream that carries what follows. */
  async #prepare(server: Socket, host: string): Promise<{ stream: Socket; info: Buffer }> {
    server.setTimeout(CONNECT_TIMEOUT_MS, () => server.destroy(new Error('no response in time')));
    const info = clientInfo(await readInfo(server));
    const urls = natsUrls(this.#options.url);
    if (!urls.some(({ protocol }) => protocol === 'tls:')) {
      server.setTimeout(0);
      return { stream: server, info };
    }
    // Like nats.js, for servers that a cluster announces by address.
    const servername = isIP(host) === 0 ? host : urls[0]?.hostname ?? host;
    const stream = connectTls({ socket: server, servername });
    await nextEvent(stream, 'secureConnect');
    server.setTimeout(0);
    return { stream, info };
  }
}

/** Both directions wait for a slow reader. */
function pipe(client: WebSocket, server: Socket): void {
  const onSent = (): void => {
    if (server.isPaused() && client.bufferedAmount <= MAX_BUFFERED_BYTES) server.resume();
  };
  server.on('data', (chunk) => {
    client.send(chunk, onSent);
    if (client.bufferedAmount > MAX_BUFFERED_BYTES) server.pause();
  });
  server.on('drain', () => client.resume());
  server.on('error', () => undefined);
  server.once('close', () => end(client, NORMAL));
  client.once('close', () => server.destroySoon());
  client.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) return client.close(UNSUPPORTED_DATA);
    if (!server.write(data)) client.pause();
  });
  server.resume();
}

/** A paused client's response to the close frame would not be read. */
function end(client: WebSocket, code: number): void {
  client.close(code);
  client.resume();
}

/** A frame is buffered until it is complete, so that strangers could fill the memory with large ones. */
function limitUntilAdmitted(client: WebSocket, server: Socket, carrier: Socket): void {
  const limit = carrier.bytesRead + MAX_BYTES_BEFORE_ADMISSION;
  const check = (): void => {
    if (carrier.bytesRead > limit) client.terminate();
  };
  carrier.on('data', check);
  server.once('data', (chunk) => {
    if (!chunk.toString('latin1', 0, REFUSAL.length).startsWith(REFUSAL)) carrier.off('data', check);
  });
}

/** Reads the server's first line; what follows it stays unread. */
async function readInfo(server: Socket): Promise<string> {
  let bytes = Buffer.alloc(0);
  let length = 0;
  while (length === 0) {
    bytes = Buffer.concat([bytes, await nextEvent(server, 'data')]);
    if (bytes.length > MAX_INFO_BYTES) throw new Error('the server sent no INFO');
    length = bytes.indexOf('\n') + 1;
  }
  if (bytes.length > length) server.unshift(bytes.subarray(length));
  return bytes.toString('utf8', 0, length);
}

function clientInfo(line: string): Buffer {
  const json = INFO.exec(line)?.[1];
  if (json === undefined) throw new Error(`the server sent no INFO, but ${line.slice(0, 100)}`);
  const info = JSON.parse(json) as Record<string, unknown>;
  // Where only the network keeps strangers out, this would let them in.
  if (info['auth_required'] !== true) throw new Error('the server requires no authentication');
  for (const field of SERVER_FIELDS) delete info[field];
  return Buffer.from(`INFO ${JSON.stringify(info)}\r\n`);
}

/**
 * Resolves to the first argument of the event and pauses the stream, so that nothing is lost until it is
 * resumed.
 */
function nextEvent(stream: Socket, event: 'data' | 'secureConnect'): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(error);
    const closed = (): void => reject(new Error('the server closed the connection'));
    stream.once('error', failed).once('close', closed);
    stream.once(event, (value: Buffer) => {
      stream.pause();
      stream.off('error', failed).off('close', closed);
      resolve(value);
    });
    if (event === 'data') stream.resume();
  });
}
