import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nextSlot } from '../../../probe/scheduler/slots.ts';
import { FRAME_BATCH, scanFrames, type FrameAt } from '../../../probe/spool/frame.ts';
import { programFile } from '../../bundle.mjs';
import { fewOrAll } from '../../helpers/few-or-all.ts';
import { natsVersions } from '../../helpers/nats-programs.ts';
import { passTime } from '../../helpers/pass-time.ts';
import { until } from '../../helpers/until.ts';
import { lanesWhole, slotsWhole } from './controller-peer.ts';
import { Fixture } from './fixture.ts';

let bundle = '';
let fixture: Fixture;
beforeAll(async () => {
  bundle = await programFile('probe');
});
beforeEach(async () => {
  fixture = await Fixture.open(bundle, natsVersions()[0] as 'newest');
});
afterEach(() => fixture.close());

describe('a killed probe', () => {
  test('keeps the phases of its monitors after a restart instead of checking all at once', async () => {
    const { peer, target } = fixture;
    const monitors = fixture.add(20, (at) => ({ interval_ms: 60_000, phase_ms: at * 3000 }));
    const probe = await fixture.enrol();
    await until(() => peer.results.length >= 20);
    await probe.end('SIGKILL');
    const count = target.count;
    const startedAt = Date.now();
    const again = fixture.start();
    await again.connected();
    await passTime(1500);
    const due = monitors.filter((monitor) => nextSlot(monitor, startedAt) <= Date.now()).length;
    expect(target.count - count).toBeLessThanOrEqual(due);
  });

  test('checks its known monitors when it starts without NATS, and reports the results later', async () => {
    const { peer, nats, target } = fixture;
    const monitors = fixture.add(10);
    const probe = await fixture.enrol();
    await until(() => peer.results.length > 20);
    await probe.end('SIGKILL');
    await nats.kill9();
    const count = target.count;
    const restarted = fixture.start();
    await until(() => target.count > count + 40, { what: 'it checks on its own' });
    expect(restarted.logged('connected')).toBeUndefined();
    await nats.restart();
    await restarted.connected();
    await until(() => peer.results.length > 80);
    expect(await restarted.end()).toBe(0);
    lanesWhole(peer);
    for (const monitor of monitors) slotsWhole(peer, monitor);
  });
});

describe('a probe whose NATS fails', () => {
  test('delivers every result once and in order even if messages, responses and whole shards are lost', async () => {
    const { peer } = fixture;
    const monitors = fixture.add(40, (at) => ({ interval_ms: fewOrAll(600, 200), phase_ms: at * 5 }));
    let turn = 0;
    peer.respondToBatch = (shard) => {
      turn += 1;
      if (shard === 3) return 'lose';
      return turn % 5 === 0 ? 'lose' : turn % 7 === 0 ? 'mute' : 'take';
    };
    const probe = await fixture.enrol();
    await passTime(8000);
    peer.respondToBatch = () => 'take';
    await until(() => (peer.beats.at(-1)?.spool_depth ?? Infinity) < 500, { what: 'the backlog drains' });
    expect(await probe.end()).toBe(0);
    expect(probe.logged('stopped')).toMatchObject({ spool_depth: 0 });
    lanesWhole(peer);
    for (const monitor of monitors) slotsWhole(peer, monitor);
    expect(peer.duplicates).toBeGreaterThan(0);
  });
});

describe('a probe whose spool is damaged', () => {
  test('starts, sends intact results and declares the damaged ones', async () => {
    const { peer, dataDir } = fixture;
    const monitors = fixture.add(30);
    const probe = await fixture.enrol();
    await until(() => peer.results.length > 30);
    peer.respondToBatch = () => 'lose';
    const spool = join(dataDir, 'spool');
    const file = (): string => join(spool, readdirSync(spool).sort().pop() as string);
    const sizeThen = statSync(file()).size;
    const unsent = (): FrameAt[] => batchesAfter(readFileSync(file()), sizeThen);
    await until(() => unsent().length > 20, { what: 'a backlog builds up' });
    await probe.end('SIGKILL');
    const frames = unsent();
    const bytes = readFileSync(file());
    // One in the middle of the unacknowledged part, and the end.
    const at = (frames[frames.length >> 1] as FrameAt).offset + 20;
    bytes[at] = (bytes[at] as number) ^ 0xff;
    writeFileSync(file(), bytes.subarray(0, (frames.at(-1) as FrameAt).offset + 5));
    peer.respondToBatch = () => 'take';
    const again = fixture.start();
    await again.connected();
    await until(
      () => [...peer.lanes.values()].some((lane) => lane.dropped.length > 0),
      { what: 'the loss is declared' },
    );
    await passTime(1000);
    expect(await again.end()).toBe(0);
    expect(again.logged('damaged frames in the spool')).toBeDefined();
    lanesWhole(peer);
    expect(
      [...peer.lanes.values()].flatMap((lane) => lane.dropped).every((range) => range.reason === 'corrupt'),
    ).toBe(true);
    expect(
      peer.results.filter((result) => result.monitor_id === monitors[0]?.monitor_id).length,
    ).toBeGreaterThan(2);
  });
});

/** Batches in a spool file after an offset. */
function batchesAfter(bytes: Buffer, from: number): FrameAt[] {
  const frames: FrameAt[] = [];
  scanFrames(bytes, (frame) => {
    if (frame.kind === FRAME_BATCH && frame.offset > from) frames.push(frame);
  });
  return frames;
}
