/*
 * Writes an organization's raw results to files of JSON lines. It acknowledges a result once that is on disk,
 * so you can stop or kill it at any time; it exits with an error if the disk is full. Restart it within an
 * hour to continue in a new file. After a crash, files may contain a result twice and a truncated last line.
 *
 *   node deploy/examples/sink.ts subscription.json results-folder [bytes per file]
 *
 * `subscription.json` holds `data` of the response to `POST /api/subscriptions`. Needs Node 22.18 or newer,
 * and the packages `nats` and `ws`.
 */
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream';
import { connect, nkeyAuthenticator, type Consumer, type JsMsg } from 'nats';
import { createWebSocketStream, WebSocket } from 'ws';

interface Issued {
  nats_url: string;
  seed: string;
  subscription: {
    consumer: string; stream: string; domain: string; inbox_prefix: string; subjects: string[];
  };
}

/** Results written and synced together. */
const BATCH_SIZE = 500;
const RETRY_DELAY_MS = 1000;

const [credential = 'subscription.json', folder = 'results', maxFileBytes = '100000000'] = process.argv.slice(2);
const { nats_url, seed, subscription } = JSON.parse(readFileSync(credential, 'utf8')) as Issued;
/** `raw.<organization>.`: other messages can be sent to this inbox too; see docs/nats.md. */
const ownPrefix = (subscription.subjects[0] ?? '').replace('>', '');

const connection = await connect({
  servers: await Promise.all(nats_url.split(',').map(serverOf)),
  authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
  inboxPrefix: subscription.inbox_prefix, maxReconnectAttempts: -1,
});
const results = await (await findConsumer()).consume({ max_messages: BATCH_SIZE });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => results.stop());
const batch: JsMsg[] = [];
const append = createAppender(folder, Number(maxFileBytes));
for await (const message of results) {
  batch.push(message);
  // The latest results must not wait for a full batch.
  if (batch.length < BATCH_SIZE && message.info.pending > 0) continue;
  const own = batch.filter(({ subject }) => subject.startsWith(ownPrefix));
  if (own.length > 0) append(own.map((one) => `${one.string()}\n`).join(''));
  for (const one of batch.splice(0)) one.ack();
}
await connection.drain();

/** The consumer appears shortly after the installation's first subscription is created. */
async function findConsumer(): Promise<Consumer> {
  const { consumers } = connection.jetstream({ domain: subscription.domain });
  for (;;) {
    try {
      return await consumers.get(subscription.stream, subscription.consumer);
    } catch (error) {
      console.error(String(error));
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}

/** Appends to the newest file, or to a new one if that is full, and syncs it. */
function createAppender(to: string, maxBytes: number): (lines: string) => void {
  let newest: string | null = null;
  mkdirSync(to, { recursive: true });
  return (lines) => {
    if (newest === null || statSync(newest).size >= maxBytes) {
      newest = join(to, `${new Date().toISOString().replaceAll(':', '-')}.jsonl`);
    }
    appendFileSync(newest, lines, { flush: true });
  };
}

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
