import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Anchors } from '../../../../probe/runner/anchors.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import type { HostAndPort } from '../../../../shared/setting.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Place extends HostAndPort {
  server: Server;
  asked: number;
}

async function open(): Promise<Place> {
  const server = createServer((socket) => {
    place.asked += 1;
    socket.on('error', () => undefined).end();
  });
  const place: Place = { host: '127.0.0.1', port: 0, server, asked: 0 };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  place.port = (server.address() as AddressInfo).port;
  servers.push(server);
  return place;
}

/** A port of our own that nothing listens on any more. */
async function closed(): Promise<Place> {
  const place = await open();
  await new Promise((resolve) => void place.server.close(resolve));
  return place;
}

const clock = () => new SimulatedClock(1_000_000);

test('without anchors, the probe never counts as cut off', async () => {
  const anchors = new Anchors([], clock());
  expect(anchors.isOff).toBe(true);
  expect(await anchors.isCutOff()).toBe(false);
});

test.each([
  [['open'], false], [['closed'], true],
  [['open', 'closed'], false], [['closed', 'closed'], true],
  [['open', 'closed', 'open'], false], [['open', 'closed', 'closed'], true],
])('with anchors %j the probe is cut off: %s', async (states, expected) => {
  const places = await Promise.all(states.map((state) => (state === 'open' ? open() : closed())));
  expect(await new Anchors(places, clock()).isCutOff()).toBe(expected);
});

test('a burst of failures checks the anchors once, and a later one again', async () => {
  const place = await open();
  const time = clock();
  const anchors = new Anchors([place], time);
  expect(await Promise.all(Array.from({ length: 50 }, () => anchors.isCutOff()))).toEqual(
    Array.from({ length: 50 }, () => false),
  );
  await new Promise((resolve) => void place.server.close(resolve));
  expect(place.asked).toBe(1);
  expect(await anchors.isCutOff()).toBe(false);
  // Where targets fail all the time, the loss of the uplink must not be taken for theirs for long.
  await time.advance(500);
  expect(await anchors.isCutOff()).toBe(true);
  await new Promise<void>((resolve) => void place.server.listen(place.port, '127.0.0.1', resolve));
  await time.advance(2999);
  expect(await anchors.isCutOff()).toBe(true);
  await time.advance(1);
  expect(await anchors.isCutOff()).toBe(false);
});
