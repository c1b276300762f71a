import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FORGET_AFTER_MS, StreamedProjects } from '../../controller/events/hub.ts';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { createLog } from '../../shared/log.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { until } from '../helpers/until.ts';

interface Peer {
  bus: NatsBus;
  clock: SimulatedClock;
  /** Projects that its clients stream. */
  own: Set<string>;
  streamed: StreamedProjects;
}

let nats: TestNats;
const peers: Peer[] = [];

beforeAll(async () => {
  nats = await startNats();
});
afterEach(async () => {
  for (const { streamed, bus } of peers.splice(0)) await streamed.stop().then(() => bus.close());
});
afterAll(() => nats.stop());

/** One controller's part, started. */
async function startPeer(...projects: string[]): Promise<Peer> {
  const log = createLog('test', 'silent');
  const bus = await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'peer', log });
  const clock = new SimulatedClock(1_000_000);
  const own = new Set(projects);
  const streamed = new StreamedProjects({
    bus, clock, own: { has: (project) => own.has(project), list: () => [...own] },
  });
  streamed.start();
  const peer = { bus, clock, own, streamed };
  peers.push(peer);
  return peer;
}

test('a controller knows what others stream, from their announcements and from a query at startup', async () => {
  const one = await startPeer('o.a');
  expect(one.streamed.has('o', 'a')).toBe(true);
  const two = await startPeer();
  await until(() => two.streamed.has('o', 'a'), { what: 'the second one is notified when it starts' });
  one.own.add('o.b');
  one.streamed.announce();
  await until(() => two.streamed.has('o', 'b'), { what: 'it is notified of another project' });
  expect(two.streamed.has('p', 'a')).toBe(false);
});

test('a project without streams is no longer published', async () => {
  const one = await startPeer('o.a');
  const two = await startPeer();
  await until(() => two.streamed.has('o', 'a'));
  one.own.clear();
  one.streamed.announce();
  await until(() => !two.streamed.has('o', 'a'), { what: 'the announcement of none' });
});

test('a controller that died is forgotten after a minute', async () => {
  const one = await startPeer('o.a');
  const two = await startPeer();
  await until(() => two.streamed.has('o', 'a'));
  await one.bus.close();
  await two.clock.advance(FORGET_AFTER_MS);
  expect(two.streamed.has('o', 'a')).toBe(true);
  await two.clock.advance(1);
  expect(two.streamed.has('o', 'a')).toBe(false);
});

test('controllers announce their streams again after NATS was down', async () => {
  const one = await startPeer('o.a');
  const two = await startPeer();
  await until(() => two.streamed.has('o', 'a'));
  await two.clock.advance(FORGET_AFTER_MS + 1);
  await nats.kill9();
  await nats.restart();
  await until(() => two.streamed.has('o', 'a'), { what: 'the second one is notified again' });
  expect(one.streamed.has('o', 'a')).toBe(true);
});

test('an announcement that cannot be read, or is too long, changes nothing', async () => {
  const one = await startPeer('o.a');
  const two = await startPeer();
  await until(() => two.streamed.has('o', 'a'));
  const projects = Array.from({ length: 1001 }, (_none, at) => `o.${at}`);
  for (const bad of ['', '{', '{"v":1}', JSON.stringify({ v: 1, from: 'x', projects })]) {
    one.bus.publish('live.projects', bad);
  }
  one.own.add('o.c');
  one.streamed.announce();
  await until(() => two.streamed.has('o', 'c'));
  expect(two.streamed.has('o', '1')).toBe(false);
});
