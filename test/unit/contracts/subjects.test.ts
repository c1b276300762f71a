import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { probeOfSubject, shardOfSubject, subjects } from '../../../shared/contracts/subjects.ts';
import { MAX_SHARDS, ShardMap } from '../../../shared/ids.ts';

const slug = fc.stringMatching(/^[a-z0-9-]{2,32}$/);
const id = fc.uuid();
const shard = fc.integer({ min: 0, max: MAX_SHARDS - 1 });

/** NATS matching: `*` is one token, `>` at the end is one or more. */
function isMatch(pattern: string, subject: string): boolean {
  const want = pattern.split('.');
  const have = subject.split('.');
  return want.every((token, index) => (token === '>'
    ? have.length > index
    : token === '*' ? index < have.length : token === have[index]))
    && (want.at(-1) === '>' || want.length === have.length);
}

describe('subjects', () => {
  test('have the documented form', () => {
    expect(subjects.results(7, 'eu-west', 'p1')).toBe('results.07.eu-west.p1');
    expect(subjects.resultsOfShard(12)).toBe('results.12.*.*');
    expect(subjects.resultsOfShard(255)).toBe('results.255.*.*');
    expect(subjects.sync('eu-west', 'p1')).toBe('sync.eu-west.p1');
    expect(subjects.assign('eu-west', 'p1')).toBe('assign.eu-west.p1');
    expect(subjects.run('eu-west', 'p1')).toBe('run.eu-west.p1');
    expect(subjects.beat('eu-west', 'p1')).toBe('beat.eu-west.p1');
    expect(subjects.evidence('eu-west', 'p1')).toBe('evidence.eu-west.p1');
    expect(subjects.query(3, 'live')).toBe('ask.03.live');
    expect(subjects.notify(15)).toBe('poke.15');
    expect(subjects.events('o', 'p', 'incident')).toBe('events.o.p.incident');
    expect(subjects.raw('o', 'p', 'm', 'eu-west')).toBe('raw.o.p.m.eu-west');
  });

  test('of a probe contain its region and id', () => {
    fc.assert(fc.property(shard, slug, id, (number, region, probeId) => {
      const all = [
        subjects.results(number, region, probeId),
        ...(['sync', 'assign', 'run', 'beat', 'evidence'] as const).map((kind) => subjects[kind](region, probeId)),
      ];
      for (const subject of all) expect(probeOfSubject(subject)).toEqual({ region, probeId });
    }));
  });

  test('of a shard contain its number', () => {
    fc.assert(fc.property(shard, slug, id, (number, region, probeId) => {
      for (const subject of [
        subjects.results(number, region, probeId), subjects.query(number, 'live'), subjects.notify(number),
      ]) {
        expect(shardOfSubject(subject)).toBe(number);
      }
    }));
  });

  test('match the subscribed patterns, and none of other shards', () => {
    fc.assert(fc.property(shard, slug, id, (number, region, probeId) => {
      for (const other of new ShardMap(MAX_SHARDS).all) {
        expect(isMatch(subjects.resultsOfShard(other), subjects.results(number, region, probeId))).toBe(
          other === number,
        );
        expect(isMatch(subjects.queryOfShard(other), subjects.query(number, 'live'))).toBe(other === number);
      }
      expect(isMatch(subjects.syncOfAll, subjects.sync(region, probeId))).toBe(true);
      expect(isMatch(subjects.beatOfAll, subjects.beat(region, probeId))).toBe(true);
      expect(isMatch(subjects.rawOfAll, subjects.raw('o', 'p', 'm', region))).toBe(true);
    }));
  });

  for (const subject of [
    '', 'results', 'results.01.eu', 'results.01.eu.p.x', 'sync.eu', 'beat.eu.p.x', 'raw.o.p.m.eu',
    'RESULTS.01.eu.p', 'beat..p', 'beat.eu.', 'xsync.eu.p',
  ]) {
    test(`identify no probe in ${JSON.stringify(subject)}`, () => {
      expect(probeOfSubject(subject)).toBeNull();
    });
  }

  for (const subject of [
    '', 'results', 'results.1.eu.p', 'results.001.eu.p', 'sync.01.p', 'poke.1', 'poke.xx', 'xpoke.01',
    'poke.01x',
  ]) {
    test(`identify no shard in ${JSON.stringify(subject)}`, () => {
      expect(shardOfSubject(subject)).toBeNull();
    });
  }
});
