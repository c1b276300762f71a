import { createServer as createWebServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import type { Certificate } from '../helpers/certificate.ts';
import { respondToLines } from './line-process.ts';

/** How a host of the target behaves. */
export interface HostState {
  certificate: Certificate;
  /** Over IPv6. */
  certificate6: Certificate;
  status: number;
  /** Start of the addresses that get 403. */
  forbidden: string | null;
}

/** Larger than any packet. */
const BODY = 'Welcome to the shop. '.repeat(1000);
/** Addresses of both families; the second list has only IPv6. */
const ANY = [{ host: '0.0.0.0' }, { host: '::', ipv6Only: true }] as const;

let state: HostState | null = null;

const respond: RequestListener = (request, response) => {
  const isForbidden = state?.forbidden && request.socket.remoteAddress?.startsWith(state.forbidden);
  response.writeHead(isForbidden ? 403 : (state?.status ?? 500), { connection: 'close' });
  response.end(BODY);
};

const tlsServers = ANY.map((address) => createTlsServer(respond).listen({ ...address, port: 443 }));
for (const address of ANY) {
  createWebServer(respond).listen({ ...address, port: 80 });
  createServer((socket) => socket.on('error', () => undefined).end('ready\r\n')).listen({ ...address, port: 7000 });
}
for (const server of tlsServers) server.on('tlsClientError', () => undefined);

await respondToLines<HostState>((next) => {
  state = next;
  tlsServers[0]?.setSecureContext(next.certificate);
  tlsServers[1]?.setSecureContext(next.certificate6);
});
