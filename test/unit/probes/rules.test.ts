import { describe, expect, test } from 'vitest';
import type { ProbeDoc } from '../../../controller/probes/probe.ts';
import {
  clockOffsetMs, isLive, presenceOf, silentMs, statusOf, recordBeat, type BeatTrack,
} from '../../../controller/probes/rules.ts';
import { cityOfTimeZone } from '../../../controller/probes/seed.ts';
import { BARE_PROBE } from '../../helpers/bare-probe.ts';
import type { Beat } from '../../../shared/contracts/beat.ts';

const probe: ProbeDoc = {
  _id: 'p', region_id: 'r', organization_id: null, name: 'n', created_at: 0, public_key: 'U', box_key: 'X',
  ...BARE_PROBE,
};
const beat = (change: Partial<Beat> = {}): Beat => ({
  v: 1, epoch: 'e1', sent_at: 1000, started_at: 500, version: '1', capabilities: [], revision: 0, monitors: 0,
  in_flight: 0, spool_depth: 0, load: 0, lateness_ms: 0, missed_rate: 0, lost_rate: 0, ...change,
});
function beats(...list: [Partial<Beat>, number][]): BeatTrack {
  let track: BeatTrack | null = null;
  for (const [change, mono] of list) {
    const silent = silentMs({ track, listeningSinceMono: 0, nowMono: mono });
    track = recordBeat(track, beat(change), { now: 1000, mono, silentMs: silent });
  }
  return track as BeatTrack;
}
function view(track: BeatTrack | null, nowMono: number, listeningSinceMono: number | null = 0) {
  return { track, nowMono, listeningSinceMono };
}

describe('silence', () => {
  test('counts from the last beat, or from when the controller started to listen', () => {
    expect(silentMs(view(beats([{}, 100]), 15_100))).toBe(15_000);
    expect(silentMs(view(beats([{}, 100]), 20_000, 19_000))).toBe(1000);
    expect(silentMs(view(null, 9000, 4000))).toBe(5000);
  });
  test('is 0 while the controller receives nothing', () => {
    expect(silentMs(view(beats([{}, 0]), 600_000, null))).toBe(0);
  });
});

describe('liveness', () => {
  test('lasts for three beats', () => {
    const track = beats([{}, 0]);
    expect(isLive(probe, view(track, 15_000))).toBe(true);
    expect(isLive(probe, view(track, 15_001))).toBe(false);
  });
  test('comes from the database until beats have had time to arrive', () => {
    expect(isLive({ ...probe, is_online: true }, view(null, 14_000))).toBe(true);
    expect(isLive({ ...probe, is_online: true }, view(null, 16_000))).toBe(false);
    expect(isLive(probe, view(null, 14_000))).toBe(false);
  });
  test('is false for a probe that was deleted or never enrolled', () => {
    const track = beats([{}, 0]);
    expect(isLive({ ...probe, removed_at: 1 }, view(track, 1))).toBe(false);
    expect(isLive({ ...probe, public_key: undefined }, view(track, 1))).toBe(false);
  });
});

describe('presence', () => {
  const online = { ...probe, is_online: true };
  test('ends when a beat is missed and the next one is nearly due', () => {
    const track = beats([{}, 0]);
    expect(presenceOf(probe, view(track, 9000))).toBe('steady');
    expect(presenceOf(probe, view(track, 9001))).toBe('away');
    expect(isLive(probe, view(track, 9001))).toBe(true);
  });
  test('returns with the beats, and is steady after three of them', () => {
    const track = beats([{}, 0], [{}, 10_000], [{}, 15_000], [{}, 20_000], [{}, 25_000]);
    expect(presenceOf(probe, view(track, 24_999))).toBe('returned');
    expect(presenceOf(probe, view(track, 25_000))).toBe('steady');
    expect(presenceOf(probe, view(beats([{}, 0], [{}, 9000]), 9001))).toBe('steady');
  });
  test('ends at once when the probe announces a stop, until it beats again', () => {
    const stopped = beats([{}, 0], [{ leaving: true }, 100]);
    expect(presenceOf(online, view(stopped, 101))).toBe('away');
    expect(isLive(online, view(stopped, 101))).toBe(false);
    expect(presenceOf(probe, view(beats([{ leaving: true }, 100], [{ epoch: 'e2' }, 3000]), 3001))).toBe('steady');
  });
  test('lasts for 30 s after the controller started to listen, for a probe that was online', () => {
    const beforeListening = beats([{}, 0]);
    expect(presenceOf(probe, view(beforeListening, 130_000, 100_000))).toBe('steady');
    expect(presenceOf(probe, view(beforeListening, 130_001, 100_000))).toBe('away');
    expect(presenceOf(online, view(null, 130_000, 100_000))).toBe('steady');
    expect(presenceOf(probe, view(null, 100_001, 100_000))).toBe('away');
  });
});

describe('the status', () => {
  const of = (change: Partial<ProbeDoc>, track: BeatTrack | null, nowMono = 1000) =>
    statusOf({ ...probe, ...change }, view(track, nowMono), 1_000_000);
  const says = (status: string, why: RegExp) => ({ status, reason: expect.stringMatching(why) as string });
  test('has a reason for each state', () => {
    expect(of({}, beats([{}, 0]))).toEqual({ status: 'online', reason: null });
    expect(of({ is_draining: true }, beats([{}, 0])).status).toBe('draining');
    const unenrolled = { public_key: undefined, token_expires_at: 2_000_000 };
    expect(of(unenrolled, null)).toMatchObject(says('enrolling', /Waiting/));
    expect(of({ ...unenrolled, token_expires_at: 5 }, null)).toMatchObject(says('enrolling', /expired/));
    expect(of({}, null)).toMatchObject(says('offline', /not connected yet/));
    expect(of({}, beats([{}, 0]), 20_000)).toMatchObject(says('offline', /No beat/));
    expect(of({}, beats([{ leaving: true }, 0]))).toMatchObject(says('offline', /was stopped/));
  });
  test('reports a clock offset above 30 s, by the median of the beats', () => {
    const skewed = { status: 'online', reason: 'Its clock is off by 3601 s' };
    expect(of({}, beats([{ sent_at: -3_600_000 }, 0]))).toMatchObject(skewed);
    const late = beats([{}, 0], [{ sent_at: -60_000 }, 1], [{}, 2]);
    expect(clockOffsetMs(late)).toBe(0);
  });
});

describe('two processes with one identity', () => {
  test('are detected by a reappearing epoch, and the older start is reported', () => {
    const [older, newer] = [{ epoch: 'old', started_at: 1 }, { epoch: 'new', started_at: 2 }];
    const track = beats([older, 0], [newer, 1], [older, 2]);
    expect(track.conflict?.olderEpoch).toBe('old');
    const { status, reason } = statusOf(probe, view(track, 3), 0);
    expect([status, reason]).toEqual(['quarantined', expect.stringContaining('old')]);
    expect(beats([newer, 0], [older, 1], [newer, 2]).conflict?.olderEpoch).toBe('old');
  });
  test('are not suspected after a restart, even if the clock was set back before it', () => {
    const start = (epoch: string, started_at: number) => ({ epoch, started_at });
    const track = beats([start('a', 9), 0], [start('b', 2), 1], [start('c', 3), 2], [{ epoch: 'c' }, 3]);
    expect(track.conflict).toBeNull();
  });
  test('are no longer reported a minute after the last sign of them', () => {
    let track = beats([{ epoch: 'a' }, 0], [{ epoch: 'b' }, 1], [{ epoch: 'a' }, 2]);
    track = recordBeat(track, beat({ epoch: 'a' }), { now: 0, mono: 60_003, silentMs: 0 });
    expect(track.conflict).toBeNull();
  });
});

test('city names are derived from time zones that have one', () => {
  expect(cityOfTimeZone('Europe/Berlin')).toBe('Berlin');
  expect(cityOfTimeZone('America/Argentina/Buenos_Aires')).toBe('Buenos Aires');
  for (const zone of ['UTC', 'Etc/UTC', 'Etc/GMT+1', 'US/Pacific', 'EST5EDT', '']) {
    expect(cityOfTimeZone(zone)).toBeNull();
  }
});
