import { describe, expect, test } from 'vitest';
import { noticesDue, type ProbeSeen } from '../../../controller/probes/notice-rules.ts';
import type { ProbeDoc, Quarantine } from '../../../controller/probes/probe.ts';

const DIED = 1_000_000;
const quarantine: Quarantine = { trouble: 'late', reason: 'It is late', since: 7, bad_at: 8, clean_ms: 1 };

function seen(id: string, change: Partial<ProbeDoc> = {}, now: Partial<ProbeSeen> = {}): ProbeSeen {
  const probe: ProbeDoc = {
    _id: id, region_id: 'r', organization_id: 'o', name: id, created_at: 0, public_key: 'U', box_key: 'X',
    enrolled_at: 1, version: '1', capabilities: [], is_draining: false, removed_at: null, is_online: true,
    last_beat_at: DIED, ...change,
  };
  return { probe, isLive: true, presence: 'steady', silentMs: 0, reason: null, ...now };
}
const silent = (id: string, silentMs = 60_000, change: Partial<ProbeDoc> = {}) =>
  seen(id, change, { isLive: false, presence: 'away', silentMs, reason: 'No beat' });
const told = (...probes: ProbeSeen[]) =>
  noticesDue(probes).map(({ event, probe, since }) => `${event} ${probe._id} ${since}`);

describe('a silent probe', () => {
  test('is told of after a minute, once, with its last beat and the reason', () => {
    expect(told(silent('a', 59_999), seen('b'))).toEqual([]);
    expect(told(silent('a'), seen('b'))).toEqual([`probe.offline a ${DIED}`]);
    expect(noticesDue([silent('a'), seen('b')])[0]?.reason).toBe('No beat');
    expect(told(silent('a', 90_000, { told_offline: DIED }), seen('b'))).toEqual([]);
  });

  test('is told of again when it is back to stay', () => {
    const back = { told_offline: DIED, last_beat_at: DIED + 100_000 };
    expect(told(seen('a', back, { presence: 'returned' }), seen('b'))).toEqual([]);
    expect(told(seen('a', back), seen('b'))).toEqual([`probe.online a ${DIED}`]);
  });

  test('is told of also if it is the only one', () => {
    expect(told(silent('a'))).toEqual([`probe.offline a ${DIED}`]);
  });

  test('is not told of if it never connected, or is deleted', () => {
    expect(told(silent('a', 90_000, { last_beat_at: null }), silent('b', 90_000, { removed_at: 1 }))).toEqual([]);
  });

  test('is not told of while more than half of those that are missed are silent', () => {
    expect(told(silent('a'), silent('b', 20_000), seen('c'))).toEqual([]);
    expect(told(silent('a'), seen('b'), seen('c', {}, { silentMs: 20_000 }))).toHaveLength(1);
    // Those that have been away for long say nothing about us.
    const gone = ['x', 'y', 'z'].map((id) => silent(id, 90_000, { told_offline: 1 }));
    expect(told(silent('a'), seen('b'), seen('c'), ...gone)).toEqual([`probe.offline a ${DIED}`]);
  });
});

test('a quarantine and its end are told once each', () => {
  expect(told(seen('a', { quarantine }))).toEqual(['probe.quarantined a 7']);
  expect(told(seen('a', { quarantine, told_quarantine: 7 }))).toEqual([]);
  expect(told(seen('a', { quarantine: null, told_quarantine: 7 }))).toEqual(['probe.released a 7']);
  expect(told(seen('a', { quarantine: { ...quarantine, since: 9 }, told_quarantine: 7 })))
    .toEqual(['probe.quarantined a 9']);
});
