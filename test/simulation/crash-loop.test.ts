import { describe, expect, test } from 'vitest';
import { LANES_PER_PROBE } from '../../controller/results/state/lane-rules.ts';
import { probeCrashLoops, type CrashLoopFailure } from './crash-loop.ts';
import { SimulatedSpool } from './simulated-spool.ts';

const FAILURES: [name: string, failures: CrashLoopFailure[], lifeMs?: number][] = [
  ['nothing else is wrong', ['nothing']],
  ['no answer arrives for a hundred lives', ['unanswered']],
  ['no life lasts much longer than a second', ['half-answered'], 1300],
  ['half of the answers are lost, then it is cut off', ['half-answered', 'cut off']],
  ['the database is away', ['half-answered', 'database down']],
];

describe('a probe that crashes every few seconds loses and duplicates no results while', () => {
  test.each(FAILURES)('%s', async (_name, failures, lifeMs) => {
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
    expect((await probeCrashLoops(['unanswered'])).violations.join()).toMatch(/is stored [2-9] times, not 1/);
  } finally {
    SimulatedSpool.prototype.sendable = sendable;
  }
});
