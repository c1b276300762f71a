import { describe, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { MUTATIONS, patchClockDecisions } from './mutations.ts';
import {
  backlogSendsNoAlert, changedWhileUnmarked, clockJumps, databaseDown, diesAfterASnapshot, diesBeforeEffects,
  diskIsRestored, insertsGetNoResponse, lastBatchIsRepeated, allControllersDown, pausedBeforeItsResults,
  staleOwnerFindsItsNumberFree, staleOwnerMovesTheSnapshotBack, staleOwnerWritesAnOldBlock, staleOwnerWritesAnOldState,
  type Changed,
} from './scenarios.ts';
import type { SeedReport } from './run-seed.ts';

/** Each scenario with the rule that protects it. */
const SCENARIOS: [name: string, sentence: string, run: (changed?: Changed) => Promise<SeedReport>][] = [
  [
    'an owner that is suspended until its journal number is free again', 'after every insert and every catch-up read',
    staleOwnerFindsItsNumberFree,
  ],
  ['an owner that wakes and writes an old state', 'a state document is replaced only', staleOwnerWritesAnOldState],
  ['an owner that wakes and writes an old block', 'blocks and rollups are replaced', staleOwnerWritesAnOldBlock],
  ['an owner that wakes and moves the snapshot back', 'the snapshot only moves forward', staleOwnerMovesTheSnapshotBack],
  ['a probe that resends its last batch hours later', 'lane positions outlive', lastBatchIsRepeated],
  ['a crash of every process after a snapshot', 'the snapshot moves to n only', diesAfterASnapshot],
  ['a monitor change while the mark of the last one is cleared', 'a mark is cleared only', changedWhileUnmarked],
  ['an owner that dies before it carries out its effects', 'together with its outbox', diesBeforeEffects],
];

test.each(SCENARIOS)('%s violates no invariant', async (_name, _part, run) => {
  expect((await run()).violations).toEqual([]);
});

// Whether the scenarios would notice: `npm test` checks this for some, `npm run test:long` for all.
test.each(fewOrAll(SCENARIOS.slice(-3), SCENARIOS))('%s violates an invariant without "%s…"', async (_name, part, run) => {
  const mutation = MUTATIONS.find(({ sentence }) => sentence.includes(part));
  expect(mutation?.disguise).toBeDefined();
  expect((await run({ disguise: mutation?.disguise })).violations).not.toEqual([]);
});

describe('unmonitored time is not silence', () => {
  test.each([
    ['while all controllers are down', allControllersDown], ['while the database is down', databaseDown],
  ])('%s', async (_name, run) => {
    const { violations, unknowns } = await run();
    expect({ violations, unknowns }).toEqual({ violations: [], unknowns: 0 });
  });

  test('a clock that decides immediately after a takeover would report silence', async () => {
    const restore = patchClockDecisions();
    try {
      expect((await allControllersDown()).unknowns).toBeGreaterThan(0);
    } finally {
      restore();
    }
  });
});

describe('results that a region collects while offline', () => {
  test('count in the uptime, even if the monitor was paused before they arrived', async () => {
    const { violations, accounted, wanted } = await pausedBeforeItsResults();
    expect({ violations, accounted }).toEqual({ violations: [], accounted: wanted });
    expect(wanted[0]).toBeGreaterThan(60_000);
  });

  test('are stored without an alert', async () => {
    const { violations, alerts, stored } = await backlogSendsNoAlert();
    expect({ violations, alerts }).toEqual({ violations: [], alerts: 0 });
    expect(stored).toBeGreaterThan(5);
  });

  test('would cause a late alert if late results were treated like others', async () => {
    const restore = MUTATIONS.find(({ sentence }) => sentence.includes('a late result'))?.patch?.();
    try {
      expect((await backlogSendsNoAlert()).alerts).toBeGreaterThan(0);
    } finally {
      restore?.();
    }
  });
});

test.each([
  10, -10,
])('a clock that is %i minutes off for a while loses no result and opens no second incident', async (
  minutes,
) => {
  const { violations, letters, incidents } = await clockJumps(minutes * 60_000);
  expect({ violations, letters, incidents }).toEqual({ violations: [], letters: 0, incidents: 1 });
});

describe('a probe whose disk is restored from a backup', () => {
  test('loses no later result: it starts a new epoch', async () => {
    expect(await diskIsRestored(false)).toBe(0);
  });

  test('would lose results if it kept its old epoch', async () => {
    expect(await diskIsRestored(true)).toBeGreaterThan(0);
  });
});

test('an unconfirmed insert is repeated unchanged, and finding its own entry counts as success', async () => {
  const { violations, voided, failures } = await insertsGetNoResponse();
  expect(violations).toEqual([]);
  expect(failures).toBeGreaterThan(20);
  expect(voided).toBe(0);
});
