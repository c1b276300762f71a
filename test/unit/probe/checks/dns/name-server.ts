import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { TYPE_NUMBERS } from '../../../../../probe/checks/dns/record-data.ts';
import type { DnsRecordType } from '../../../../../shared/dns-values.ts';
import { u16, wireMessage, type WireMessage } from './wire.ts';

/** A query as received by the server. */
export interface ReceivedQuery {
  id: number;
  name: string;
  type: DnsRecordType;
  /** As encoded in the message. */
  section: Buffer;
  hasEdns: boolean;
  via: 'UDP' | 'TCP';
  /** Of the sender. */
  port: number;
  /** Sends a message, length-prefixed over TCP. */
  send: (message: Buffer) => void;
  /** The connection, over TCP. */
  socket: Socket | null;
}

export interface TestNameServer {
  port: number;
  readonly queries: ReceivedQuery[];
  close(): Promise<void>;
}

/** A name server for the current test, on UDP and TCP, that handles each query with `respond`. */
export async function serve(respond: (query: ReceivedQuery) => void, host?: string): Promise<TestNameServer> {
  const server = await startNameServer(respond, host);
  onTestFinished(() => server.close());
  return server;
}

/** Responds to every query with these records or flags. */
export function respondWith(changes: Partial<WireMessage>): (query: ReceivedQuery) => void {
  return ({ id, section, send }) => send(wireMessage({ id, question: section, ...changes }));
}

/** The same for a test that closes it itself. */
export async function startNameServer(
  respond: (query: ReceivedQuery) => void, host = '127.0.0.1',
): Promise<TestNameServer> {
  const queries: ReceivedQuery[] = [];
  const take = (message: Buffer, from: Pick<ReceivedQuery, 'via' | 'port' | 'send' | 'socket'>): void => {
    const one = { ...readQuery(message), ...from };
    queries.push(one);
    respond(one);
  };
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (data: Buffer) => take(data.subarray(2), {
      via: 'TCP', port: socket.remotePort ?? 0, socket,
      send: (message) => socket.write(Buffer.concat([u16(message.length), message])),
    }));
  });
  const udp = await listenOnBoth(tcp, host);
  udp.on('message', (message, { port, address }) => take(message, {
    via: 'UDP', port, socket: null, send: (response) => udp.send(response, port, address),
  }));
  return {
    port: udp.address().port,
    queries,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(resolve)), new Promise((resolve) => tcp.close(resolve)),
      ]);
    },
  };
}

/** The same free port for both. */
async function listenOnBoth(tcp: Server, host: string): Promise<UdpSocket> {
  for (;;) {
    await new Promise<void>((resolve) => tcp.listen(0, host, resolve));
    const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const isBound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false));
      udp.bind((tcp.address() as AddressInfo).port, host, () => resolve(true));
    });
    if (isBound) return udp;
    await new Promise((resolve) => tcp.close(resolve));
  }
}

function readQuery(message: Buffer): Pick<ReceivedQuery, 'id' | 'name' | 'type' | 'section' | 'hasEdns'> {
  const labels: string[] = [];
  let at = 12;
  for (let size = message.readUInt8(at); size > 0; size = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + size));
    at += size + 1;
  }
  const number = message.readUInt16BE(at + 1);
  const type = Object.entries(TYPE_NUMBERS).find(([, each]) => each === number)?.[0] as DnsRecordType;
  return {
    id: message.readUInt16BE(0), name: labels.join('.'), type, section: message.subarray(12, at + 5),
    hasEdns: message.readUInt16BE(10) === 1,
  };
}
