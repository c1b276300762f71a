// A program outside Farwatch that reads raw results, each as often as it has subscribed: it needs much of the
// server until it is stopped. `node stalling-subscriber.mjs credential.json`
import { readFileSync } from 'node:fs';
import { connect, nkeyAuthenticator } from 'nats';

const TIMES = 500;

const { nats_url: servers, seed, subscription } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const nc = await connect({
  servers, authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
  inboxPrefix: subscription.inbox_prefix, reconnect: false, tls: null,
});
const [subject] = subscription.subjects;
for (let at = 0; at < TIMES; at += 1) nc.subscribe(subject, { callback: () => undefined });
await nc.flush();
process.stdout.write('reading\n');
await nc.closed();
process.stdout.write('closed\n');
