import { z } from 'zod';
import { decodeJson } from '../../../shared/contracts/bytes.ts';
import type { Log } from '../../../shared/log.ts';
import type { NatsBus } from './bus.ts';
import type { OutsideAccount } from './identities-port.ts';

/** Services of the system account, as the server's configuration imports them into CONTROL. */
const CONNECTIONS_SUBJECT = 'nats.connections';
const kickSubject = (serverId: string) => `nats.kick.${serverId}`;
const ACCOUNTS: readonly string[] = ['PROBES', 'SUBSCRIBERS'] satisfies OutsideAccount[];
/** The link of a leaf node, which both of its servers list. The operator configures its user. */
const LEAF_NODE = 'Leafnode';
const PAGE_SIZE = 1024;
const TIMEOUT_MS = 5000;
const MAX_SERVERS = 64;

const connectionList = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({
    total: z.int().default(0),
    connections: z.array(z.object({
      cid: z.int(), kind: z.string().default(''), account: z.string().default(''),
      authorized_user: z.string().default(''),
    })).default([]),
  }),
});

export type ConnectionBus = Pick<NatsBus, 'request' | 'requestMany'>;

interface OpenConnection {
  server: string;
  cid: number;
  account: string;
  /** Public key of its identity. */
  key: string;
}

/**
 * All connections of probes and subscribers on all servers. Rejects with BusError if no server responds. The
 * request names no account: with one, version 2.9 also lists connections that it closed at a reload.
 */
export async function openConnections(bus: ConnectionBus): Promise<OpenConnection[]> {
  const found: OpenConnection[] = [];
  for (let offset = 0, isLast = false; !isLast; offset += PAGE_SIZE) {
    const request = JSON.stringify({ auth: true, limit: PAGE_SIZE, offset });
    const limits = { timeoutMs: TIMEOUT_MS, maxResponses: MAX_SERVERS };
    isLast = true;
    for (const response of await bus.requestMany(CONNECTIONS_SUBJECT, request, limits)) {
      const list = decodeJson(connectionList, response);
      if (!list) throw new Error('a NATS server sent no list of connections');
      const { server, data } = list;
      for (const { cid, kind, account, authorized_user: key } of data.connections) {
        if (kind === LEAF_NODE || !ACCOUNTS.includes(account)) continue;
        found.push({ server: server.id, cid, account, key });
      }
      if (data.total > offset + PAGE_SIZE) isLast = false;
    }
  }
  return found;
}

/**
 * Disconnects each probe and subscriber whose key `isUnwanted`. Rejects with BusError on servers before 2.10,
 * which can't.
 */
export async function dropConnections(
  bus: ConnectionBus, log: Log, isUnwanted: (key: string) => boolean,
): Promise<void> {
  const unwanted = (await openConnections(bus)).filter(({ key }) => isUnwanted(key));
  for (const { server, cid, account } of unwanted) {
    await bus.request(kickSubject(server), JSON.stringify({ cid }), { timeoutMs: TIMEOUT_MS });
    log.info({ server, cid, account }, 'closed a connection of a removed user');
  }
}
