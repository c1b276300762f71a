import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Load } from '../faults/load.ts';
import type { IssuedSubscription } from '../helpers/subscriber.ts';
import { until } from '../helpers/until.ts';

const root = join(import.meta.dirname, '../..');
/** In the checkout, so that the example finds the package `nats`. */
const cache = join(root, 'node_modules/.cache/farwatch-test');

const SECRET = 'canary-of-the-shop';

const PATH = '/canary';

/** An external program that reads results. */
export function subscriptions(on: { readonly load: Load }): void {
  let dir: string;
  const children: ChildProcess[] = [];

  beforeAll(() => {
    mkdirSync(cache, { recursive: true });
    dir = mkdtempSync(join(cache, 'follow-'));
    on.load.target.respondWith({ status: 500, body: `we got ${SECRET}` }, PATH);
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  /** The example `follow.ts` with this credential, compiled so that Node 20 runs it too. */
  function follow(issued: IssuedSubscription): { child: ChildProcess; output: () => string; ended: Promise<unknown> } {
    const [program, credential] = [join(dir, 'follow.mjs'), join(dir, `${issued.subscription.id}.json`)];
    const source = readFileSync(join(root, 'deploy/examples/follow.ts'), 'utf8');
    writeFileSync(program, transformSync(source, { loader: 'ts', format: 'esm' }).code);
    writeFileSync(credential, JSON.stringify(issued));
    const child = spawn(process.execPath, [program, credential], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { child, output: () => output, ended: new Promise((resolve) => child.once('exit', resolve)) };
  }

  test('a subscriber follows its results and events, and a deleted one is disconnected at once', async () => {
    const create = (name: string) => on.load.session.ok('POST', '/api/subscriptions', { name }) as Promise<unknown>;
    const [doomed, remaining] = [await create('doomed'), await create('kept')] as [IssuedSubscription, IssuedSubscription];
    const followers = [follow(doomed), follow(remaining)] as const;
    for (const { output } of followers) await until(() => output().includes('Reading raw.'), { what: output() });
    const { monitor: { id } } = await on.load.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: 'Shop', type: 'HTTP', target: `${on.load.target.url}${PATH}`, interval_seconds: 1, headers: { 'X-Api-Key': SECRET },
    });
    const resultsOf = (output: () => string) =>
      output().split('\n').filter((line) => line.includes(`"monitor_id":"${id}"`) && line.includes('"seq":')).length;
    for (const { output } of followers) {
      await until(() => resultsOf(output) > 1, { what: 'results' });
      await until(() => output().includes('"kind":"monitor.state"'), { what: 'an event' });
    }
    const [{ output, ended }, other] = followers;
    expect(output()).not.toContain(SECRET);
    expect(await on.load.session.ok('GET', '/api/subscriptions')).toMatchObject({
      subscriptions: [{ id: doomed.subscription.id }, { id: remaining.subscription.id }],
    });
    await on.load.session.ok('DELETE', `/api/subscriptions/${doomed.subscription.id}`);
    const seen = resultsOf(other.output);
    await ended;
    const last = resultsOf(output);
    await until(() => resultsOf(other.output) > seen + 2, { what: 'the other one continues to read' });
    expect(resultsOf(output)).toBe(last);
    const again = follow(doomed);
    await again.ended;
    expect(again.output()).toMatch(/authorization/i);
  });
}
