import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { u16, wireMessage, wireRecord } from '../unit/probe/checks/dns/wire.ts';
import { ipv6Groups } from '../../shared/net-guard.ts';
import { respondToLines } from './line-process.ts';

/** What a name server says about a name. */
export interface NameRecords {
  ipv4: readonly string[];
  ipv6: readonly string[];
  /** The server fails, denies that the name exists, or never responds. */
  failure?: 'SERVFAIL' | 'NXDOMAIN' | 'silent';
}

/** By address of the name server and name. */
export type Zones = Record<string, Record<string, NameRecords>>;

const HEADER_BYTES = 12;
const [A, AAAA] = [1, 28];
const FLAGS = { ok: 0x8180, SERVFAIL: 0x8182, NXDOMAIN: 0x8183 } as const;

let zones: Zones = {};

function respond(server: string, query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let size = query.readUInt8(at); size > 0; size = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += size + 1;
  }
  const { ipv4, ipv6, failure }: NameRecords =
    zones[server]?.[labels.join('.').toLowerCase()] ?? { ipv4: [], ipv6: [], failure: 'NXDOMAIN' };
  if (failure === 'silent') return null;
  const type = query.readUInt16BE(at + 1);
  const data = failure
    ? []
    : [...(type === A ? ipv4.map(bytes4) : []), ...(type === AAAA ? ipv6.map(bytes6) : [])];
  return wireMessage({
    id: query.readUInt16BE(0), question: query.subarray(HEADER_BYTES, at + 5), flags: FLAGS[failure ?? 'ok'],
    records: data.map((one) => wireRecord({ type, data: one })),
  });
}

const bytes4 = (address: string) => Buffer.from(address.split('.').map(Number));
const bytes6 = (address: string) => u16(...ipv6Groups(address));

/** What probes depend on: arguments are the port of the installation and the addresses of name servers. */
const [port, ...servers] = process.argv.slice(2);
createServer((socket) => socket.on('error', () => undefined).end()).listen(Number(port), '0.0.0.0');
await Promise.all(servers.map((server) => new Promise<void>((resolve) => {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const response = respond(server, query);
    if (response) socket.send(response, from.port, from.address);
  });
  socket.bind(53, server, resolve);
})));

await respondToLines<Zones>((next) => {
  zones = next;
});
