import { describe, expect, test } from 'vitest';
import { LANES_PER_PROBE } from '../../controller/results/state/shard-state.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { probeCrashLoops, type CrashLoopFailure } from './crash-loop.ts';
import { SimulatedSpool } from './simulated-spool.ts';

/** `npm test` has the last two; its seed of the simulation contains the other faults, too. */
const FAILURES: [name: string, failures: CrashLoopFailure[], lifeMs?: number][] = [
  ['nothing else is wrong', ['nothing']],
  ['no process lasts much longer than a second', ['half of the responses lost'], 1300],
  ['the database is down', ['half of the responses lost', 'database down']],
  ['no response arrives for a hundred processes', ['no responses']],
  ['half of the responses are lost, then the probe is offline', ['half of the responses lost', 'cut off']],
];

describe('a probe that crashes every few seconds loses and duplicates no results while', () => {
  test.each(FAILURES.slice(fewOrAll(3, 0)))('%s', async (_name, failures, lifeMs) => {
    const { violations, epochs, retained, letters } = await probeCrashLoops(failures, lifeMs);
    expect({ violations, letters }).toEqual({ violations: [], letters: 0 });
    expect(epochs).toBeGreaterThan(LANES_PER_PROBE + 20);
    expect(retained).toBeLessThanOrEqual(LANES_PER_PROBE);
  });
});

test('a probe that ignores the lanes begun by earlier processes duplicates results', async () => {
  const { sendable } = SimulatedSpool.prototype;
  SimulatedSpool.prototype.sendable = function everything(this: SimulatedSpool) {
    return this.lanes();
  };
  try {
    expect((await probeCrashLoops(['no responses'])).violations.join()).toMatch(/is stored [2-9] times, not 1/);
  } finally {
    SimulatedSpool.prototype.sendable = sendable;
  }
});
