import { connect, nkeyAuthenticator, type NatsConnection, type Status } from 'nats';
import { createUser } from 'nkeys.js';

export interface ProbeUser {
  region: string;
  id: string;
  seed: Uint8Array;
  /** As written to the users file. */
  entry: object;
}

/** A probe's NATS user, written by hand from the users file's contract. */
export function makeProbeUser(region: string, id: string): ProbeUser {
  const user = createUser();
  const own = `${region}.${id}`;
  const permissions = {
    publish: { allow: [`results.*.${own}`, `sync.${own}`, `beat.${own}`, `evidence.${own}`] },
    subscribe: { allow: [`assign.${region}.${id}`, `run.${region}.${id}`, `_INBOX_${id}.>`] },
    allow_responses: { max: 1, expires: '60s' },
  };
  return { region, id, seed: user.getSeed(), entry: { nkey: user.getPublicKey(), permissions } };
}

export interface TestConnection {
  nc: NatsConnection;
  /** Everything the connection reported, `type data` each. */
  statuses: string[];
}

/** Connects as a probe; with `inboxPrefix` null, as a client that ignores the contract. */
export function connectProbe(
  url: string, user: ProbeUser, inboxPrefix: string | null = `_INBOX_${user.id}`,
): Promise<TestConnection> {
  return open(url, user.seed, inboxPrefix ?? undefined);
}

export function connectController(url: string, seed: string): Promise<TestConnection> {
  return open(url, new TextEncoder().encode(seed));
}

async function open(url: string, seed: Uint8Array, inboxPrefix?: string): Promise<TestConnection> {
  const nc = await connect({
    servers: url, authenticator: nkeyAuthenticator(seed), inboxPrefix, maxReconnectAttempts: 2,
    reconnectTimeWait: 50, tls: null,
  });
  const statuses: string[] = [];
  void (async () => {
    for await (const status of nc.status() as AsyncIterable<Status>) {
      const cause = status.permissionContext
        ? ` ${status.permissionContext.operation} ${status.permissionContext.subject}`
        : '';
      statuses.push(`${status.type} ${String(status.data)}${cause}`);
    }
  })();
  return { nc, statuses };
}
