/*
 * Prints an organization's raw results and events as they arrive, one JSON document per line.
 *
 *   node deploy/examples/follow.ts subscription.json
 *
 * `subscription.json` holds `data` of the response to `POST /api/subscriptions`. Needs Node 22.18 or newer
 * and this repository with its packages.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { connect, nkeyAuthenticator } from 'nats';
import { serverOptions } from '../../shared/nats-connection.ts';

interface Issued {
  nats_url: string;
  seed: string;
  subscription: { inbox_prefix: string; subjects: string[] };
}

const { nats_url, seed, subscription } =
  JSON.parse(readFileSync(process.argv[2] ?? 'subscription.json', 'utf8')) as Issued;
const organization = subscription.subjects[0]?.split('.')[1];
const connection = await connect({
  ...await serverOptions(nats_url, process.env),
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
