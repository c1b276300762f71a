import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { ScrapeResponse } from '../../../controller/monitor-metrics/scrape-response.ts';
import { FairQueue } from '../../../controller/work/fair-queue.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const PIECE = 'x'.repeat(10_000);

/** A response of many pieces, with one turn for all. `made`: pieces so far. */
function rig(pieces = 1000) {
  const clock = new SimulatedClock(0);
  const limits = { maxRunning: 1, maxRunningPerKey: 1, maxWaiting: 1, maxWaitingPerKey: 1, maxWaitMs: 1000 };
  const turns = new FairQueue(clock, limits, () => new Error('full'));
  const seen = { made: 0 };
  const text = async function* () {
    for (; seen.made < pieces; seen.made += 1) yield PIECE;
  };
  const response = new ScrapeResponse({ clock, turns, organizationId: 'o', text });
  const open = async (headers = {}) => (await response.negotiate(headers)).body as Readable;
  return { clock, seen, open };
}

test('pieces are made as the client reads them', async () => {
  const { seen, open } = rig();
  const body = await open();
  await once(body, 'readable');
  expect(seen.made).toBeLessThan(20);
  let length = 0;
  for await (const chunk of body) length += (chunk as Buffer).length;
  expect(length).toBe(1000 * PIECE.length);
});

test('a compressed scrape is the same text', async () => {
  const body = await rig(50).open({ 'accept-encoding': 'gzip, deflate' });
  let text = '';
  for await (const chunk of body.pipe(createGunzip())) text += String(chunk);
  expect(text).toBe(PIECE.repeat(50));
});

test('the next scrape starts when the client has gone or read everything', async () => {
  const { open } = rig(3);
  const first = await open({ 'accept-encoding': 'gzip' });
  const waiting = open();
  await expect(open()).rejects.toThrow('full');
  first.destroy();
  const second = await waiting;
  second.resume();
  await once(second, 'close');
  (await open()).destroy();
});

test('a client that reads too slowly is disconnected', async () => {
  const { clock, open } = rig();
  const body = await open();
  const failed = once(body, 'close').catch((error: Error) => error.message);
  await clock.advance(60_000);
  expect(await failed).toMatch(/too slowly/);
  (await open()).destroy();
});
