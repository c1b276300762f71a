import { describe, expect, test } from 'vitest';
import type { ProbeDoc } from '../../../controller/probes/probe.ts';
import { clockOffsetMs, isLive, silentMs, statusOf, takeBeat, type BeatTrack } from '../../../controller/probes/rules.ts';
import { cityOfTimeZone } from '../../../controller/probes/time-zone-city.ts';
import type { Beat } from '../../../shared/contracts/beat.ts';

const probe: ProbeDoc = {
  _id: 'p', region_id: 'r', organization_id: null, name: 'n', created_at: 0, public_key: 'U', box_key: 'X', enrolled_at: 1,
  version: null, capabilities: [], is_draining: false, removed_at: null, is_online: false, last_beat_at: null,
};
const beat = (change: Partial<Beat> = {}): Beat => ({
  v: 1, epoch: 'e1', sent_at: 1000, started_at: 500, version: '1', capabilities: [], revision: 0, monitors: 0, in_flight: 0, spool_depth: 0, load: 0, ...change,
});
const beats = (...list: [Partial<Beat>, number][]) =>
  list.reduce<BeatTrack | null>((track, [change, mono]) => takeBeat(track, beat(change), { now: 1000, mono }), null) as BeatTrack;
const view = (track: BeatTrack | null, nowMono: number, listeningSinceMono: number | null = 0) => ({ track, nowMono, listeningSinceMono });

describe('silence', () => {
  test('counts from the last beat, or from when we began to listen', () => {
    expect(silentMs(view(beats([{}, 100]), 15_100))).toBe(15_000);
    expect(silentMs(view(beats([{}, 100]), 20_000, 19_000))).toBe(1000);
    expect(silentMs(view(null, 9000, 4000))).toBe(5000);
  });
  test('is none while nothing can be heard', () => {
    expect(silentMs(view(beats([{}, 0]), 600_000, null))).toBe(0);
  });
});

describe('being live', () => {
  test('lasts for three beats', () => {
    const track = beats([{}, 0]);
    expect(isLive(probe, view(track, 15_000))).toBe(true);
    expect(isLive(probe, view(track, 15_001))).toBe(false);
  });
  test('is taken from the database while too little time has passed to tell', () => {
    expect(isLive({ ...probe, is_online: true }, view(null, 14_000))).toBe(true);
    expect(isLive({ ...probe, is_online: true }, view(null, 16_000))).toBe(false);
    expect(isLive(probe, view(null, 14_000))).toBe(false);
  });
  test('is nothing for a probe that was deleted or never enrolled', () => {
    const track = beats([{}, 0]);
    expect(isLive({ ...probe, removed_at: 1 }, view(track, 1))).toBe(false);
    expect(isLive({ ...probe, public_key: undefined }, view(track, 1))).toBe(false);
  });
});

describe('the status', () => {
  const of = (change: Partial<ProbeDoc>, track: BeatTrack | null, nowMono = 1000) => statusOf({ ...probe, ...change }, view(track, nowMono), 1_000_000);
  test('names each state and its reason', () => {
    expect(of({}, beats([{}, 0]))).toEqual({ status: 'online', reason: null });
    expect(of({ is_draining: true }, beats([{}, 0])).status).toBe('draining');
    expect(of({ public_key: undefined, token_expires_at: 2_000_000 }, null)).toMatchObject({ status: 'enrolling', reason: expect.stringMatching(/Waiting/) });
    expect(of({ public_key: undefined, token_expires_at: 5 }, null)).toMatchObject({ status: 'enrolling', reason: expect.stringMatching(/expired/) });
    expect(of({}, null)).toMatchObject({ status: 'offline', reason: expect.stringMatching(/not connected yet/) });
    expect(of({}, beats([{}, 0]), 20_000)).toMatchObject({ status: 'offline', reason: expect.stringMatching(/No beat/) });
  });
  test('tells a clock that is off by more than 30 s, by the median of the beats', () => {
    expect(of({}, beats([{ sent_at: -3_600_000 }, 0]))).toMatchObject({ status: 'online', reason: 'Its clock is off by 3601 s' });
    const late = beats([{}, 0], [{ sent_at: -60_000 }, 1], [{}, 2]);
    expect(clockOffsetMs(late)).toBe(0);
  });
});

describe('two processes with one identity', () => {
  test('show by an epoch that comes back, and the older start is named', () => {
    const track = beats([{ epoch: 'old', started_at: 1 }, 0], [{ epoch: 'new', started_at: 2 }, 1], [{ epoch: 'old', started_at: 1 }, 2]);
    expect(track.conflict?.olderEpoch).toBe('old');
    expect(statusOf(probe, view(track, 3), 0)).toMatchObject({ status: 'quarantined', reason: expect.stringContaining('old') });
    const mirrored = beats([{ epoch: 'new', started_at: 2 }, 0], [{ epoch: 'old', started_at: 1 }, 1], [{ epoch: 'new', started_at: 2 }, 2]);
    expect(mirrored.conflict?.olderEpoch).toBe('old');
  });
  test('are not seen in a restart, nor in a clock set back between two starts', () => {
    const track = beats([{ epoch: 'a', started_at: 9 }, 0], [{ epoch: 'b', started_at: 2 }, 1], [{ epoch: 'c', started_at: 3 }, 2], [{ epoch: 'c' }, 3]);
    expect(track.conflict).toBeNull();
  });
  test('are forgotten a minute after the last sign of it', () => {
    let track = beats([{ epoch: 'a' }, 0], [{ epoch: 'b' }, 1], [{ epoch: 'a' }, 2]);
    track = takeBeat(track, beat({ epoch: 'a' }), { now: 0, mono: 60_003 });
    expect(track.conflict).toBeNull();
  });
});

test('a time zone names a city or none', () => {
  expect(cityOfTimeZone('Europe/Berlin')).toBe('Berlin');
  expect(cityOfTimeZone('America/Argentina/Buenos_Aires')).toBe('Buenos Aires');
  for (const zone of ['UTC', 'Etc/UTC', 'Etc/GMT+1', 'US/Pacific', 'EST5EDT', '']) expect(cityOfTimeZone(zone)).toBeNull();
});
