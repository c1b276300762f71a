import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checked, lettersOf, postAll } from '../faults/sender.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { filesOfPath, MAX_REPEATS } from '../helpers/executed-files.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { root } from '../root.mjs';

let rig: ControllerRig;
let client: MongoClient;
let receiver: Receiver;
let probe: TestProbe;
let monitors: string[];

beforeAll(async () => {
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' });
  client = await MongoClient.connect(rig.store.url);
  receiver = await startReceiver();
  probe = await rig.probe('one');
  probe.beat();
  await probe.follow();
  await rig.session.ok('POST', '/api/integrations', {
    name: 'On call', type: 'webhook', is_default: true, config: { url: receiver.url },
  });
  monitors = [];
  for (let n = 0; n < MAX_REPEATS; n += 1) monitors.push(await createMonitor(`Shop ${n}`));
  await until(() => monitors.every((id) => probe.held.has(id)), { what: 'the probe has the monitors' });
  await report('up', true, monitors);
  await report('failure', false, monitors);
});
afterAll(async () => {
  await client?.close();
  await rig?.stop();
  await receiver?.close();
});

async function createMonitor(name: string): Promise<string> {
  const { monitor } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
    name, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60,
    confirmation_policy: { regions: 'any', retries: 1 },
  });
  return monitor.id;
}

function report(epoch: string, isUp: boolean, ids: string[]): Promise<number> {
  return postAll(lettersOf(probe, epoch, ids.map((id) => checked(id, Date.now(), isUp))), (letters) => letters);
}

/** The files that a path's table names. */
function documented(path: string): string[] {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith(`The path of a ${path}`)) ?? '';
  const rows = section.split('\n').filter((line) => /^\| \d/.test(line)).join('\n');
  return [...rows.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file]) => file as string);
}

/** The second failure in a row of a monitor that was up before: an outage. */
async function failAgain(id: string): Promise<void> {
  const before = receiver.requests.length;
  await report(id, false, [id]);
  await until(() => receiver.requests.length > before, { what: 'the webhook arrives' });
}

async function areAllJournaled(): Promise<boolean> {
  return await client.db().collection('monitors').countDocuments({ unjournaled: { $exists: true } }) === 0;
}

interface Tour {
  path: string;
  /** What the path takes, and some for a busy machine, on which background work falls into it. Raise it only with a reason. */
  limit: number;
  run(repeat: number): Promise<unknown>;
  settle?(): Promise<unknown>;
  /** Files of work that the path does not wait for. They fall into it or not, depending on the machine. */
  isBackground?(file: string): boolean;
}

const tours: Tour[] = [
  {
    path: 'result: from the socket to a webhook', limit: 85,
    run: (repeat) => failAgain(monitors[repeat] as string),
  },
  {
    path: 'request: `GET /api/monitors/:id`', limit: 35,
    run: (repeat) => rig.session.ok('GET', `/api/monitors/${monitors[repeat] as string}`),
  },
  {
    path: 'request: `POST /api/monitors`', limit: 45,
    run: (repeat) => createMonitor(`New ${repeat}`),
    settle: () => until(areAllJournaled, { what: 'the shards have the monitors' }),
    isBackground: (file) => /^controller\/results\/(intake|journal|shards|writing)\//.test(file),
  },
];

test.each(tours)('the path of a $path runs each file of its table, and at most $limit files', async (tour) => {
  const { run, limit, settle, isBackground } = tour;
  const files = await filesOfPath(run, { limit, settle, isCounted: (file) => !isBackground?.(file) });
  const table = documented(tour.path);
  expect(table.length).toBeGreaterThan(0);
  expect.soft(table.filter((file) => !files.includes(file))).toEqual([]);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(limit);
});
