/*
 * Prints an organization's raw results and events as they arrive, one JSON document per line.
 *
 *   node deploy/examples/follow.ts subscription.json
 *
 * `subscription.json` holds `data` of the response to `POST /api/subscriptions`. Needs Node 22.18 or newer,
 * and the packages `nats` and `ws`.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import process from 'node:process';
import { pipeline } from 'node:stream';
import { connect, nkeyAuthenticator } from 'nats';
import { createWebSocketStream, WebSocket } from 'ws';

interface Issued {
  nats_url: string;
  seed: string;
  subscription: { inbox_prefix: string; subjects: string[] };
}

const { nats_url, seed, subscription } =
  JSON.parse(readFileSync(process.argv[2] ?? 'subscription.json', 'utf8')) as Issued;
const organization = subscription.subjects[0]?.split('.')[1];
const connection = await connect({
  servers: await Promise.all(nats_url.split(',').map(serverOf)),
  authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
  inboxPrefix: subscription.inbox_prefix, maxReconnectAttempts: -1,
});
for (const subject of subscription.subjects) {
  connection.subscribe(subject, {
    callback: (_error, message) => {
      // Other messages can be sent to this inbox too; see docs/nats.md.
      const isOwn = message.string().includes(`"organization_id":"${organization}"`);
      if (isOwn) process.stdout.write(`${message.string()}\n`);
    },
  });
}
await connection.flush();
console.error(`Reading ${subscription.subjects.join(' and ')}`);
await connection.closed();

/** The package connects by TCP only, so a WebSocket gets a port of its own on this machine. */
async function serverOf(url: string): Promise<string> {
  if (!/^wss?:/.test(url)) return url;
  const bridge = createServer((socket) => {
    pipeline(socket, createWebSocketStream(new WebSocket(url)), socket, () => undefined);
  });
  await once(bridge.listen(0, '127.0.0.1'), 'listening');
  bridge.unref();
  return `127.0.0.1:${(bridge.address() as AddressInfo).port}`;
}
