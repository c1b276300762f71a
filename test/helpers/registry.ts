import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { DomainRoots } from '../../controller/domains/sources.ts';
import { startReceiver, type Receiver } from './receiver.ts';

/** How a WHOIS server handles a query: responds with a text, or takes over the connection. */
export type WhoisResponse = string | ((socket: Socket) => void);

export interface Registry {
  /** Where a controller starts looking for it. */
  roots: DomainRoots;
  http: Receiver;
  /** Expiry of each domain in the RDAP server, ISO 8601. */
  expiries: Map<string, string>;
  /** By query: a top-level domain or a domain. */
  whois: Map<string, WhoisResponse>;
  /** Queries to the WHOIS server so far. */
  queries: string[];
  /** Number of lookups of a domain, over RDAP and WHOIS. */
  lookupsOf(domain: string): number;
  close(): Promise<void>;
}

/** A whole registry on loopback: IANA's list, an RDAP server for .com and .org, and a WHOIS server for the rest. */
export async function startRegistry(): Promise<Registry> {
  const http = await startReceiver();
  const expiries = new Map<string, string>();
  const whois = new Map<string, WhoisResponse>();
  const queries: string[] = [];
  const sockets = new Set<Socket>();
  http.choose(({ path }) => (response) => {
    if (path === '/dns.json') {
      const services = [[['com', 'org'], [`${http.url}/rdap/`]]];
      return void response.writeHead(200).end(JSON.stringify({ version: '1.0', services }));
    }
    const expiry = expiries.get(path.replace('/rdap/domain/', ''));
    if (expiry === undefined) return void response.writeHead(404).end('{}');
    response.writeHead(200, { 'content-type': 'application/rdap+json' }).end(rdapResponse(expiry));
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (data) => {
      const query = data.toString('utf8').trim();
      queries.push(query);
      const response = whois.get(query) ?? 'No match for that';
      if (typeof response === 'string') socket.end(response);
      else response(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    roots: { rdapList: `${http.url}/dns.json`, whois: '127.0.0.1', whoisPort: port },
    http, expiries, whois, queries,
    lookupsOf: (domain) => http.requests.filter(({ path }) => path === `/rdap/domain/${domain}`).length
      + queries.filter((query) => query === domain).length,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([http.close(), new Promise((resolve) => server.close(resolve))]);
    },
  };
}

export function rdapResponse(expiry: string): string {
  return JSON.stringify({
    objectClassName: 'domain',
    events: [{ eventAction: 'expiration', eventDate: expiry }],
    entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'Example Registrar']]] }],
  });
}
