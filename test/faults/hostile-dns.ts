import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import {
  u16, wireMessage, wireName, wireRecord, wireString,
} from '../unit/probe/checks/dns/wire.ts';
import { pour } from './hostile-web.ts';

const HEADER_BYTES = 12;
const IS_TRUNCATED = 0x8380;
const [CNAME, TXT] = [5, 16];

interface ParsedQuery {
  id: number;
  /** The first label of the name. */
  label: string;
  question: Buffer;
}

function read(query: Buffer): ParsedQuery {
  const end = query.indexOf(0, HEADER_BYTES) + 5;
  const size = query[HEADER_BYTES] as number;
  return {
    id: query.readUInt16BE(0), question: query.subarray(HEADER_BYTES, end),
    label: query.toString('latin1', HEADER_BYTES + 1, HEADER_BYTES + 1 + size),
  };
}

const STRINGS = Buffer.concat(Array.from({ length: 240 }, () => wireString('\x1b'.repeat(255))));

/** A hostile name server's responses over UDP, by the first label of the name; others are truncated. */
const BY_UDP: Readonly<Record<string, (parsed: ParsedQuery) => Buffer>> = {
  loop: ({ id, question }) => {
    const toItself = u16(0xc000 | (HEADER_BYTES + question.length));
    return wireMessage({ id, question, records: [wireRecord({ owner: toItself, type: TXT, data: Buffer.alloc(0) })] });
  },
  aliases: ({ id, question }) => wireMessage({
    id, question, records: Array.from({ length: 900 }, (_, at) => wireRecord({
      ...(at === 0 ? {} : { owner: wireName(`a${at}.example`) }), type: CNAME, data: wireName(`a${at + 1}.example`),
    })),
  }),
};

/** Its responses over TCP. */
const BY_TCP: Readonly<Record<string, (parsed: ParsedQuery, socket: Socket) => void>> = {
  large: ({ id, question }, socket) => {
    const message = wireMessage({ id, question, records: [wireRecord({ type: TXT, data: STRINGS })] });
    socket.write(Buffer.concat([u16(message.length), message]));
  },
  endless: (_parsed, socket) => {
    socket.write(u16(0xffff));
    pour(socket, Buffer.alloc(65_536, 0xc0));
  },
};

/** Names with a hostile response, each of a different kind. */
export const DNS_ATTACKS = [...Object.keys(BY_UDP), ...Object.keys(BY_TCP)].map((label) => `${label}.example`);

/** Responds to one query on a connection. */
export function respondByTcp(socket: Socket): void {
  socket.once('data', (query: Buffer) => {
    const parsed = read(query.subarray(2));
    BY_TCP[parsed.label]?.(parsed, socket);
  });
}

/** A name server on a loopback port. It sends noise before each response. */
export function serveUdp(port: number): Promise<UdpSocket> {
  const udp = createSocket('udp4');
  udp.on('message', (query, peer) => {
    const parsed = read(query);
    const { id, question } = parsed;
    const response = BY_UDP[parsed.label]?.(parsed) ?? wireMessage({ id, question, flags: IS_TRUNCATED });
    for (const bytes of [Buffer.alloc(512, 0xc0), response]) udp.send(bytes, peer.port, peer.address);
  });
  return new Promise((resolve) => udp.bind(port, '127.0.0.1', () => resolve(udp)));
}
