import { describe, expect, test } from 'vitest';
import { noticesDue, type ProbeObservation } from '../../../controller/probes/notice-rules.ts';
import { BARE_PROBE } from '../../helpers/bare-probe.ts';
import type { ProbeDoc, Quarantine } from '../../../controller/probes/probe.ts';

const DIED = 1_000_000;
const quarantine: Quarantine = { problem: 'late', reason: 'It is late', since: 7, bad_at: 8, clean_ms: 1 };

function observation(id: string, change: Partial<ProbeDoc> = {}, now: Partial<ProbeObservation> = {}): ProbeObservation {
  const probe: ProbeDoc = {
    _id: id, region_id: 'r', organization_id: 'o', name: id, created_at: 0, public_key: 'U', box_key: 'X',
    ...BARE_PROBE, version: '1', is_online: true, last_beat_at: DIED, ...change,
  };
  return { probe, isLive: true, presence: 'steady', silentMs: 0, reason: null, ...now };
}
const silent = (id: string, silentMs = 60_000, change: Partial<ProbeDoc> = {}) =>
  observation(id, change, { isLive: false, presence: 'away', silentMs, reason: 'No beat' });
const noticesOf = (...probes: ProbeObservation[]) =>
  noticesDue(probes).map(({ event, probe, since }) => `${event} ${probe._id} ${since}`);

describe('a silent probe', () => {
  test('is reported after a minute, once, with its last beat and the reason', () => {
    expect(noticesOf(silent('a', 59_999), observation('b'))).toEqual([]);
    expect(noticesOf(silent('a'), observation('b'))).toEqual([`probe.offline a ${DIED}`]);
    expect(noticesDue([silent('a'), observation('b')])[0]?.reason).toBe('No beat');
    expect(noticesOf(silent('a', 90_000, { notified_offline: DIED }), observation('b'))).toEqual([]);
  });

  test('is reported again once it is back for good', () => {
    const back = { notified_offline: DIED, last_beat_at: DIED + 100_000 };
    expect(noticesOf(observation('a', back, { presence: 'returned' }), observation('b'))).toEqual([]);
    expect(noticesOf(observation('a', back), observation('b'))).toEqual([`probe.online a ${DIED}`]);
  });

  test('is reported even if it is the only one', () => {
    expect(noticesOf(silent('a'))).toEqual([`probe.offline a ${DIED}`]);
  });

  test('is not reported if it never connected or is deleted', () => {
    expect(noticesOf(silent('a', 90_000, { last_beat_at: null }), silent('b', 90_000, { removed_at: 1 }))).toEqual([]);
  });

  test('is not reported while more than half of the expected probes are silent', () => {
    expect(noticesOf(silent('a'), silent('b', 20_000), observation('c'))).toEqual([]);
    expect(noticesOf(silent('a'), observation('b'), observation('c', {}, { silentMs: 20_000 }))).toHaveLength(1);
    // Probes that have been offline for long say nothing about us.
    const gone = ['x', 'y', 'z'].map((id) => silent(id, 90_000, { notified_offline: 1 }));
    expect(noticesOf(silent('a'), observation('b'), observation('c'), ...gone)).toEqual([`probe.offline a ${DIED}`]);
  });
});

test('a quarantine and its end are reported once each', () => {
  expect(noticesOf(observation('a', { quarantine }))).toEqual(['probe.quarantined a 7']);
  expect(noticesOf(observation('a', { quarantine, notified_quarantine: 7 }))).toEqual([]);
  expect(noticesOf(observation('a', { quarantine: null, notified_quarantine: 7 }))).toEqual(['probe.released a 7']);
  expect(noticesOf(observation('a', { quarantine: { ...quarantine, since: 9 }, notified_quarantine: 7 })))
    .toEqual(['probe.quarantined a 9']);
});
