import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FORGOTTEN_AFTER_MS, WatchedProjects } from '../../controller/events/watched-projects.ts';
import { connectBus, type NatsBus } from '../../controller/platform/bus/bus.ts';
import { createLog } from '../../shared/log.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { until } from '../helpers/until.ts';

interface Peer {
  bus: NatsBus;
  clock: SimulatedClock;
  /** What its clients watch. */
  own: Set<string>;
  watched: WatchedProjects;
}

let nats: TestNats;
const peers: Peer[] = [];

beforeAll(async () => {
  nats = await startNats();
});
afterEach(async () => {
  for (const { watched, bus } of peers.splice(0)) await watched.stop().then(() => bus.close());
});
afterAll(() => nats.stop());

/** One controller's part, started. */
async function startPeer(...projects: string[]): Promise<Peer> {
  const log = createLog('test', 'silent');
  const bus = await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'peer', log });
  const clock = new SimulatedClock(1_000_000);
  const own = new Set(projects);
  const watched = new WatchedProjects({
    bus, clock, own: { has: (project) => own.has(project), list: () => [...own] },
  });
  watched.start();
  const peer = { bus, clock, own, watched };
  peers.push(peer);
  return peer;
}

test('a controller knows what others watch, from their announcements and from asking when it starts', async () => {
  const one = await startPeer('o.a');
  expect(one.watched.has('o', 'a')).toBe(true);
  const two = await startPeer();
  await until(() => two.watched.has('o', 'a'), { what: 'the second one was told when it started' });
  one.own.add('o.b');
  one.watched.announce();
  await until(() => two.watched.has('o', 'b'), { what: 'it was told of another project' });
  expect(two.watched.has('p', 'a')).toBe(false);
});

test('what nobody watches any more is no longer published', async () => {
  const one = await startPeer('o.a');
  const two = await startPeer();
  await until(() => two.watched.has('o', 'a'));
  one.own.clear();
  one.watched.announce();
  await until(() => !two.watched.has('o', 'a'), { what: 'the announcement of none' });
});

test('a controller that died is forgotten after a minute', async () => {
  const one = await startPeer('o.a');
  const two = await startPeer();
  await until(() => two.watched.has('o', 'a'));
  await one.bus.close();
  await two.clock.advance(FORGOTTEN_AFTER_MS);
  expect(two.watched.has('o', 'a')).toBe(true);
  await two.clock.advance(1);
  expect(two.watched.has('o', 'a')).toBe(false);
});

test('after NATS was away, controllers tell each other anew', async () => {
  const one = await startPeer('o.a');
  const two = await startPeer();
  await until(() => two.watched.has('o', 'a'));
  await two.clock.advance(FORGOTTEN_AFTER_MS + 1);
  await nats.kill9();
  await nats.restart();
  await until(() => two.watched.has('o', 'a'), { what: 'told anew' });
  expect(one.watched.has('o', 'a')).toBe(true);
});

test('an announcement that cannot be read, or is too long, changes nothing', async () => {
  const one = await startPeer('o.a');
  const two = await startPeer();
  await until(() => two.watched.has('o', 'a'));
  const projects = Array.from({ length: 1001 }, (_none, at) => `o.${at}`);
  for (const bad of ['', '{', '{"v":1}', JSON.stringify({ v: 1, from: 'x', projects })]) {
    one.bus.publish('live.projects', bad);
  }
  one.own.add('o.c');
  one.watched.announce();
  await until(() => two.watched.has('o', 'c'));
  expect(two.watched.has('o', '1')).toBe(false);
});
