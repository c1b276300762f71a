import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';

export type Direction = 'out' | 'back' | 'both';

/**
 * A proxy between a client and a server that simulates a bad network or firewall. `out` is the direction to the server,
 * `back` the one to the client. Dropped data is held and sent later, as TCP would retransmit it.
 */
export interface FaultProxy {
  port: number;
  /** Connections accepted so far, and open ones. */
  readonly accepted: number;
  readonly open: number;
  /** Blocks a direction, on open and new connections, without closing any. */
  drop(direction?: Direction): void;
  /** Delays every chunk by this time. */
  delay(ms: number): void;
  /** Limits all connections and directions together to this rate. */
  pace(bytesPerSecond: number): void;
  /** Breaks every open connection with a TCP RST. */
  reset(): void;
  /** Closes the server's side of open connections without notifying the clients. */
  halfOpen(): void;
  /** Silences open connections in both directions without notifying either side; new ones work. */
  mute(): void;
  /** Silences a connection once its client sends this text; others work. */
  swallow(text: string): void;
  /** Ends every fault; held data arrives. Silenced connections stay silent. */
  heal(): void;
  close(): Promise<void>;
}

interface Pair {
  near: Socket;
  far: Socket;
  isMute: boolean;
}

/** Starts a proxy on a free port of `host` for a TCP port or a Unix socket. */
export async function startFaultProxy(
  to: { port: number; host?: string } | { path: string }, host = '127.0.0.1',
): Promise<FaultProxy> {
  const pairs = new Set<Pair>();
  let dropped: Direction | null = null;
  let delayMs = 0;
  let swallowed: string | null = null;
  let accepted = 0;
  const isDropped = (direction: Exclude<Direction, 'both'>) => dropped === 'both' || dropped === direction;
  /** When the link will have sent all data accepted so far, by `performance.now()`. */
  let freeAt = 0;
  let bytesPerMs = Infinity;
  const later = (act: () => void) => (delayMs === 0 ? act() : void setTimeout(act, delayMs));
  /** Forwards a chunk. On a slow link, the socket is read again only after the chunk is sent. */
  const pass = (chunk: Buffer, from: Socket, to: Socket) => {
    const send = () => later(() => to.writable && to.write(chunk));
    if (bytesPerMs === Infinity) return send();
    from.pause();
    freeAt = Math.max(freeAt, performance.now()) + chunk.length / bytesPerMs;
    setTimeout(() => {
      send();
      from.resume();
    }, freeAt - performance.now());
  };

  const server = createServer((near) => {
    accepted += 1;
    const far = 'path' in to ? connect(to.path) : connect(to.port, to.host ?? '127.0.0.1');
    const pair: Pair = { near, far, isMute: false };
    pairs.add(pair);
    near.setNoDelay(true);
    near.on('data', (chunk: Buffer) => {
      if (swallowed !== null && chunk.includes(swallowed)) pair.isMute = true;
      if (!pair.isMute) pass(chunk, near, far);
    });
    far.on('data', (chunk: Buffer) => {
      if (!pair.isMute) pass(chunk, far, near);
    });
    const gone = (other: Socket) => () => {
      pairs.delete(pair);
      later(() => other.destroy());
    };
    near.on('error', () => undefined).on('close', gone(far));
    far.on('error', () => undefined).on('close', () => {
      if (!pair.isMute) gone(near)();
    });
    hold(pair);
  });
  const hold = ({ near, far }: Pair) => {
    for (const [socket, direction] of [[near, 'out'], [far, 'back']] as const) {
      if (isDropped(direction)) socket.pause();
      else socket.resume();
    }
  };
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted;
    },
    get open() {
      return pairs.size;
    },
    drop(direction = 'both') {
      dropped = direction;
      for (const pair of pairs) hold(pair);
    },
    delay(ms) {
      delayMs = ms;
    },
    pace(bytesPerSecond) {
      bytesPerMs = bytesPerSecond / 1000;
    },
    reset() {
      for (const { near, far } of pairs) {
        near.resetAndDestroy();
        far.destroy();
      }
    },
    halfOpen() {
      for (const pair of pairs) {
        pair.isMute = true;
        pair.far.destroy();
      }
    },
    mute() {
      for (const pair of pairs) pair.isMute = true;
    },
    swallow(text) {
      swallowed = text;
    },
    heal() {
      dropped = null;
      swallowed = null;
      delayMs = 0;
      bytesPerMs = Infinity;
      for (const pair of pairs) hold(pair);
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Starts a proxy for the MongoDB of `mongoUrl`, over TCP or its Unix socket; returns it with a connection
 * string through it.
 */
export async function startMongoProxy(mongoUrl: string): Promise<FaultProxy & { url: string }> {
  const { hosts, dbName } = new MongoClient(mongoUrl).options;
  const [host] = hosts;
  if (host === undefined) throw new Error('no host to connect to');
  const to = host.socketPath === undefined
    ? { port: host.port ?? 27017, host: host.host ?? '127.0.0.1' }
    : { path: host.socketPath };
  const proxy = await startFaultProxy(to);
  const { port } = proxy;
  return Object.assign(
    proxy, { url: `mongodb://127.0.0.1:${port}/${dbName}?directConnection=true&retryWrites=false` },
  );
}
