import { describe, expect, test } from 'vitest';
import { MUTATIONS, patchClockDecisions } from './mutations.ts';
import {
  backlogTellsNothing, changedWhileUnmarked, clockJumps, databaseAway, diesAfterASnapshot, diesBeforeTelling, diskIsRestored, insertsAreNotAnswered, lastWordIsRepeated, nobodyListens, sleeperFindsItsNumberFree,
  sleeperMovesTheSnapshotBack, sleeperWritesAnOldBlock, sleeperWritesAnOldState, type Changed,
} from './scenarios.ts';
import type { SeedReport } from './run-seed.ts';

/** Each with the sentence that it needs. */
const SCENARIOS: [name: string, sentence: string, run: (changed?: Changed) => Promise<SeedReport>][] = [
  ['a sleeper finds its number free again', 'after every insert and every catch-up read', sleeperFindsItsNumberFree],
  ['a sleeper writes an old state', 'one conditional write of its state document', sleeperWritesAnOldState],
  ['a sleeper writes an old block', 'blocks and rollups are whole documents', sleeperWritesAnOldBlock],
  ['a sleeper moves the snapshot back', 'the snapshot moves forward only', sleeperMovesTheSnapshotBack],
  ['a probe repeats its last word hours later', 'lane positions live longer', lastWordIsRepeated],
  ['everyone dies after a snapshot', 'the snapshot moves to n only when all up to n', diesAfterASnapshot],
  ['a monitor is changed while it is unmarked', 'the mark is cleared if the revision', changedWhileUnmarked],
  ['an owner dies before it tells', 'outbox included', diesBeforeTelling],
];

describe.each(SCENARIOS)('%s', (_name, part, run) => {
  const mutation = MUTATIONS.find(({ sentence }) => sentence.includes(part));

  test('harms nothing', async () => {
    expect((await run()).violations).toEqual([]);
  });

  test(`harms without "${part}…"`, async () => {
    expect(mutation?.disguise).toBeDefined();
    expect((await run({ disguise: mutation?.disguise })).violations).not.toEqual([]);
  });
});

describe('time that nobody watched is no silence', () => {
  test.each([['every controller is away', nobodyListens], ['the database is away', databaseAway]])('%s', async (_name, run) => {
    const { violations, unknowns } = await run();
    expect({ violations, unknowns }).toEqual({ violations: [], unknowns: 0 });
  });

  test('it would be, were the clock asked at once after a takeover', async () => {
    const restore = patchClockDecisions();
    try {
      expect((await nobodyListens()).unknowns).toBeGreaterThan(0);
    } finally {
      restore();
    }
  });
});

describe('what a region finds while it is cut off', () => {
  test('is stored and tells nobody anything', async () => {
    const { violations, alerts, stored } = await backlogTellsNothing();
    expect({ violations, alerts }).toEqual({ violations: [], alerts: 0 });
    expect(stored).toBeGreaterThan(5);
  });

  test('would raise an alarm an hour late, were late results not told apart', async () => {
    const restore = MUTATIONS.find(({ sentence }) => sentence.includes('a late result'))?.patch?.();
    try {
      expect((await backlogTellsNothing()).alerts).toBeGreaterThan(0);
    } finally {
      restore?.();
    }
  });
});

test.each([10, -10])('a clock that is %i minutes wrong for a while costs no result and makes no second incident', async (minutes) => {
  const { violations, letters, incidents } = await clockJumps(minutes * 60_000);
  expect({ violations, letters, incidents }).toEqual({ violations: [], letters: 0, incidents: 1 });
});

describe('a probe whose disk was put back to an earlier state', () => {
  test('loses nothing of what it finds from then on: it starts in an epoch of its own', async () => {
    expect(await diskIsRestored(false)).toBe(0);
  });

  test('would, going on in its old epoch', async () => {
    expect(await diskIsRestored(true)).toBeGreaterThan(0);
  });
});

test('an insert that is not answered is repeated unchanged, and our own duplicate is success', async () => {
  const { violations, voided, failures } = await insertsAreNotAnswered();
  expect(violations).toEqual([]);
  expect(failures).toBeGreaterThan(20);
  expect(voided).toBe(0);
});
