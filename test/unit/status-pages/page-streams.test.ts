import { expect, test } from 'vitest';
import { PageStreams } from '../../../controller/status-pages/public/live/page-streams.ts';
import type { FoundPage } from '../../../controller/status-pages/public/read-public-page.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

function setUp() {
  const clock = new SimulatedClock(Date.parse('2026-11-22T12:00:00Z'));
  const seen = { reads: 0, name: 'Acme' };
  const streams = new PageStreams({
    clock, random: () => 0.5,
    pages: {
      get: async () => {
        seen.reads += 1;
        return { page: {}, view: { name: seen.name } } as unknown as FoundPage;
      },
    },
  });
  return { clock, seen, streams };
}

test('a controller serves three thousand readers of pages, and more once some have left', async () => {
  const { clock, streams } = setUp();
  const all = Array.from({ length: 3000 }, (_, at) => streams.join(`page-${at % 3}`));
  expect(all).not.toContain(null);
  expect(streams.join('page-0')).toBeNull();
  all[7]?.destroy();
  await clock.advance(1);
  expect(streams.join('page-0')).not.toBeNull();
  streams.stop();
  expect(streams.join('page-0')).toBeNull();
});

test('disconnects a reader that does not read, without delaying others', async () => {
  const { clock, seen, streams } = setUp();
  const [stalled, reading] = [streams.join('acme'), streams.join('acme')];
  let read = '';
  reading?.on('data', (chunk: Buffer) => (read += chunk.toString()));
  for (let change = 0; change < 400; change += 1) {
    seen.name = `Name ${change}`;
    await clock.advance(2000);
  }
  expect(stalled?.destroyed).toBe(true);
  expect(read.match(/^event: version$/gm)?.length).toBe(401);
});

test('reads nothing while no page is open, and spreads the reconnects of browsers', async () => {
  const { clock, seen, streams } = setUp();
  const stream = streams.join('acme');
  expect(String(stream?.read())).toBe('retry: 4000\n\n');
  await clock.advance(2000);
  stream?.destroy();
  await clock.advance(2000);
  const { reads } = seen;
  expect(reads).toBeGreaterThan(0);
  await clock.advance(60_000);
  expect(seen.reads).toBe(reads);
});
