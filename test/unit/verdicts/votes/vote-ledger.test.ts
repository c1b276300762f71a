import { expect, test } from 'vitest';
import type { MonitorEffect, Witness } from '../../../../controller/verdicts/monitor-state.ts';
import { castVotes } from '../../../../controller/verdicts/votes/quorum-rules.ts';
import type { VoteRecord } from '../../../../controller/verdicts/effect.ts';
import { HOUR } from '../../results/build.ts';
import { MonitorRun, SECOND } from '../build.ts';

const REGIONS = ['dallas', 'osaka', 'paris'];

function upRun(): MonitorRun {
  const run = new MonitorRun({ quorum: 'majority', retries: 1, assigned: REGIONS, interval_ms: 10_000 });
  for (const region of REGIONS) run.up(1, region);
  run.effects = [];
  return run;
}

/** Both failures that the region needs. */
function fail(run: MonitorRun, atSeconds: number, region: string): MonitorEffect[] {
  return [...run.down(atSeconds, region), ...run.down(atSeconds + 1, region)];
}

const votesOf = (record: VoteRecord | undefined) =>
  record?.votes.map(({ region, vote, weight }) => `${region} ${vote} ${weight}`);

test('the votes are recorded at the start and end of an outage, with the same incident', () => {
  const run = upRun();
  fail(run, 11, 'paris');
  const shown = fail(run, 12, 'dallas');
  expect(run.votes).toHaveLength(1);
  const [down] = run.votes;
  expect(down).toMatchObject({
    verdict: 'down', at: HOUR + 13 * SECOND, policy: { regions: 'majority', retries: 1 },
  });
  expect(down?.votes).toEqual([
    {
      region: 'dallas', vote: 'down', weight: 'counted', probe_id: 'probe-dallas', at: HOUR + 13 * SECOND,
      attempt: 2, engine: 'test', error: { type: 'status_code', message: 'Expected 200, got 503' },
    },
    {
      region: 'osaka', vote: 'up', weight: 'counted', probe_id: 'probe-osaka', at: HOUR + SECOND, attempt: 1,
      engine: 'test',
    },
    expect.objectContaining({ region: 'paris', vote: 'down', attempt: 2 }),
  ]);
  const opened = shown.find((effect) => effect.kind === 'open');
  expect(opened?.opening.id).toBe(down?.incident_id);
  const alert = shown.find((effect) => effect.kind === 'alert');
  expect(alert?.alert.votes).toEqual({
    down: ['dallas', 'paris'], up: ['osaka'], rechecking: [], silent: [],
  });
  run.up(20, 'dallas');
  expect(run.votes[1]).toMatchObject({ verdict: 'up', incident_id: down?.incident_id });
  expect(votesOf(run.votes[1])).toEqual([
    'dallas up counted', 'osaka up counted', 'paris down counted',
  ]);
});

test('a region with an unconfirmed failure votes up, but is not listed as seeing the monitor up', () => {
  const run = upRun();
  run.down(10, 'osaka');
  fail(run, 11, 'paris');
  const shown = fail(run, 12, 'dallas');
  expect(run.votes[0]?.votes[1]).toMatchObject({
    region: 'osaka', vote: 'up', attempt: 1, reason: 'fails, not confirmed yet',
  });
  expect(shown.find((effect) => effect.kind === 'alert')?.alert.votes)
    .toEqual({ down: ['dallas', 'paris'], up: [], rechecking: ['osaka'], silent: [] });
});

test('a network has one counted vote, the mildest of its regions', () => {
  const run = upRun();
  run.item({
    kind: 'assigned', assigned: REGIONS, domains: { dallas: 'AS1', paris: 'AS1' }, at: HOUR + 2 * SECOND,
  });
  fail(run, 11, 'osaka');
  fail(run, 12, 'dallas');
  expect(run.votes).toEqual([]);
  fail(run, 13, 'paris');
  expect(votesOf(run.votes[0])).toEqual([
    'dallas down counted', 'osaka down counted', 'paris down same_fault_domain',
  ]);
});

test('witness regions of one network have one counted vote, the mildest of theirs', () => {
  const witness = (vote: Witness['vote'], domain: string): Witness =>
    ({ vote, domain, probe_id: 'p', engine: '1', error: null, attempt: 1, at: HOUR });
  const witnesses = { berlin: witness('down', 'AS1'), oslo: witness('up', 'AS1'), rome: witness('down', 'AS2') };
  const votes = castVotes({ ...upRun().state, witnesses }).slice(REGIONS.length);
  expect(votes.map(({ region, vote, weight }) => `${region} ${vote} ${weight}`))
    .toEqual(['berlin down same_fault_domain', 'oslo up counted', 'rome down counted']);
});

test('silent regions are listed with the reason, and those that lost the monitor as unassigned', () => {
  const run = upRun();
  run.silent('osaka', 11);
  run.item({ kind: 'assigned', assigned: ['berlin', 'osaka', 'paris'], domains: null, at: HOUR + 12 * SECOND });
  fail(run, 21, 'paris');
  run.item({ kind: 'alone', at: HOUR + 31 * SECOND });
  expect(votesOf(run.votes[0])).toEqual([
    'berlin none silent', 'osaka none silent', 'paris down counted', 'dallas up unassigned',
  ]);
  expect(run.votes[0]?.votes.map(({ reason }) => reason)).toEqual([
    'nothing heard yet', 'silent', undefined, undefined,
  ]);
});

test('a region whose probe is in quarantine loses its vote at once, with that reason', () => {
  const run = upRun();
  run.item({ kind: 'silent', region: 'osaka', at: HOUR + 5 * SECOND, reason: 'quarantined' });
  expect(run.state.regions['osaka']).toMatchObject({ verdict: 'unknown', reason: 'quarantined' });
  fail(run, 11, 'paris');
  const shown = fail(run, 12, 'dallas');
  expect(votesOf(run.votes[0])).toEqual(['dallas down counted', 'osaka none quarantined', 'paris down counted']);
  expect(shown.find((effect) => effect.kind === 'alert')?.alert.votes).toMatchObject({ silent: ['osaka'] });
});

test('a monitor with one region has its vote recorded, and no vote summary in its alert', () => {
  const run = new MonitorRun({ quorum: 'majority', assigned: ['paris'] });
  const shown = run.down(1, 'paris');
  expect(votesOf(run.votes[0])).toEqual(['paris down counted']);
  expect(shown.find((effect) => effect.kind === 'alert')?.alert.votes).toBeUndefined();
});
