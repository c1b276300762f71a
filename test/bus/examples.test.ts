import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { createUser } from 'nkeys.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reconcileRawConsumers } from '../../controller/platform/bus/raw-consumers.ts';
import { ensureRawStream } from '../../controller/platform/bus/raw-stream.ts';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { subscriberUser, viewSubscription } from '../../controller/subscriptions/subscription.ts';
import { createLog } from '../../shared/log.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { until } from '../helpers/until.ts';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/farwatch-test');
/** Timeout of each step; a test may take five minutes. */
const INSTALL_WITHIN_MS = 120_000;
/** Redelivery of unacknowledged messages; a minute for the product's own consumers. */
const COMES_AGAIN_NS = 2_000_000_000;

/** One subscription for each example, so that none receives another's results. */
const names = ['follow', 'sink', 'python'] as const;
const keys = names.map(() => createUser());
const docs = names.map((name, at) => ({
  _id: name, organization_id: 'org-1', name, public_key: keys[at]?.getPublicKey() ?? '', created_by: 'u',
  created_at: 0,
}));
const children: ChildProcess[] = [];
let nats: TestNats;
let bus: NatsBus;
let dir: string;

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  dir = mkdtempSync(join(cache, 'examples-'));
  nats = await startNats({ jetStream: true });
  const users = docs.map(subscriberUser);
  await nats.setSubscribers(users.map(({ public_key: nkey, permissions }) => ({ nkey, permissions })));
  const log = createLog('test', 'silent');
  bus = await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'control', log });
  await ensureRawStream(bus);
  const wanted = () => names.map((name) => ({ name: `subscriber-${name}`, filter: 'raw.org-1.>' }));
  await reconcileRawConsumers(bus, { wanted, reloadWanted: async () => wanted() });
  docs.forEach((doc, at) => writeFileSync(credentialOf(doc._id), JSON.stringify({
    // As in a cluster whose last server is down.
    subscription: viewSubscription(doc), nats_url: `${nats.url},nats://127.0.0.1:1`,
    seed: Buffer.from(keys[at]?.getSeed() ?? []).toString(),
  })));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await bus?.close();
  await nats?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const credentialOf = (name: string): string => join(dir, `${name}.json`);

function publish(...numbers: number[]): void {
  for (const seq of numbers) {
    bus.publish('raw.org-1.project.monitor.eu', JSON.stringify({ organization_id: 'org-1', seq }));
  }
}

/** Starts a program and collects its output. */
function run(command: string, args: string[]): { child: ChildProcess; printed: () => string } {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  }
  return { child, printed: () => printed };
}

/** An example compiled so that Node 20 runs it too, by default without a file size limit. */
function runExample(
  name: string, args: string[], maxKiB: number | 'unlimited' = 'unlimited',
): ReturnType<typeof run> {
  const file = join(dir, `${name}.mjs`);
  const source = readFileSync(join(root, `deploy/examples/${name}.ts`), 'utf8');
  writeFileSync(file, transformSync(source, { loader: 'ts', format: 'esm' }).code);
  return run('bash', ['-c', `ulimit -f ${maxKiB} && exec "$0" "$@"`, process.execPath, file, ...args]);
}

const seqsOf = (text: string): number[] =>
  [...text.matchAll(/"seq": ?(\d+)/g)].map((match) => Number(match[1]));

test('follow.ts prints results and events as they arrive', async () => {
  const { printed } = runExample('follow', [credentialOf('follow')]);
  await until(() => printed().includes('Reading'), { what: `it listens: ${printed()}` });
  publish(1);
  bus.publish('events.org-1.project.probe', '{"organization_id":"org-1","kind":"probe"}');
  bus.publish('raw.org-1.project.monitor.eu', '{"organization_id":"org-2","seq":9}');
  publish(2);
  await until(() => seqsOf(printed()).includes(2), { what: 'both results' });
  expect(seqsOf(printed())).toEqual([1, 2]);
  expect(printed()).toContain('"kind":"probe"');
});

test('sink.ts writes every result, even across a kill, to files of bounded size', async () => {
  const folder = join(dir, 'results');
  const written = (): number[] => (existsSync(folder)
    ? readdirSync(folder).sort().flatMap((name) => seqsOf(readFileSync(join(folder, name), 'utf8')))
    : []);
  const start = () => runExample('sink', [credentialOf('sink'), folder, '100']);
  const first = start();
  publish(10, 11, 12);
  await until(() => written().includes(12), { what: `the first results: ${first.printed()}` });
  const killed = new Promise((resolve) => first.child.once('exit', resolve));
  first.child.kill('SIGKILL');
  await killed;
  publish(13, 14, 15);
  const second = start();
  await until(() => written().includes(15), { what: `results from the time in between: ${second.printed()}` });
  expect([...new Set(written())].filter((seq) => seq >= 10)).toEqual([10, 11, 12, 13, 14, 15]);
  expect(readdirSync(folder).length).toBeGreaterThan(1);
  const ended = new Promise((resolve) => second.child.once('exit', resolve));
  second.child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('sink.ts acknowledges only results that the disk has stored', async () => {
  const folder = join(dir, 'full');
  const { consumers } = await bus.jetStream();
  await consumers.update('RAW', 'subscriber-sink', { ack_wait: COMES_AGAIN_NS });
  const numbers = Array.from({ length: 100 }, (_, at) => 100 + at);
  publish(...numbers);
  const { child } = runExample('sink', [credentialOf('sink'), folder], 1);
  await until(() => child.exitCode, { what: 'it ends with an error' });
  runExample('sink', [credentialOf('sink'), folder]);
  await until(() => {
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    // Only the last line of a file may be incomplete.
    const lines = files.flatMap((text) => text.split('\n').slice(0, -1));
    const written = new Set(lines.map((line) => (JSON.parse(line) as { seq: number }).seq));
    return numbers.every((seq) => written.has(seq));
  }, { what: 'every result is written' });
});

test.runIf(fewOrAll(false, true))('read_results.py prints the last hour and acknowledges it', async ({ skip }) => {
  const python = await pythonWithNats();
  if (typeof python !== 'string') return skip(python.reason);
  const script = join(root, 'deploy/examples/read_results.py');
  publish(20, 21);
  const first = run(python, [script, credentialOf('python')]);
  await until(() => seqsOf(first.printed()).includes(21), { what: `results: ${first.printed()}` });
  await until(async () => {
    const { consumers } = await bus.jetStream();
    return (await consumers.info('RAW', 'subscriber-python')).num_ack_pending === 0;
  }, { what: 'all acknowledged' });
  // Until it has ended, it could still receive the next result, which the second would then miss.
  const ended = new Promise((resolve) => first.child.once('exit', resolve));
  first.child.kill('SIGTERM');
  await ended;
  publish(22);
  const second = run(python, [script, credentialOf('python')]);
  await until(() => seqsOf(second.printed()).length > 0, { what: 'the next result' });
  expect(seqsOf(second.printed())).toEqual([22]);
});

/** A Python that can import nats-py, installed into a cache if needed; otherwise the reason why not. */
async function pythonWithNats(): Promise<string | { reason: string }> {
  const venv = join(cache, 'python');
  const python = join(venv, 'bin/python');
  const call = (command: string, args: string[]) =>
    promisify(execFile)(command, args, { timeout: INSTALL_WITHIN_MS });
  try {
    if (!existsSync(python)) await call('python3', ['-m', 'venv', venv]);
    const isThere = await call(python, ['-c', 'import nats, nkeys']).then(() => true, () => false);
    if (!isThere) await call(python, ['-m', 'pip', 'install', '--quiet', 'nats-py[nkeys]']);
    return python;
  } catch (error) {
    const reason = `nats-py cannot be installed: ${(error as Error).message.split('\n')[0] ?? ''}`;
    process.stderr.write(`skipped: ${reason}\n`);
    return { reason };
  }
}
