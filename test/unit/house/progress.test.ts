import { beforeEach, describe, expect, test } from 'vitest';
import { Progress } from '../../progress.mjs';

let lines: string[] = [];
let now = 0;
let progress: Progress;
beforeEach(() => {
  lines = [];
  now = 0;
  progress = new Progress(
    { unit: 40, simulation: 45, e2e: 45 }, { print: (line) => lines.push(line), now: () => now },
  );
});

describe('progress of a test run', () => {
  test('begins with its steps and their expected time', () => {
    progress.open();
    expect(lines).toEqual(['unit, simulation, e2e: about 2 min on two cores that are at rest']);
  });

  test('numbers each step, and ends it with its outcome and time', () => {
    progress.begin('unit');
    now = 52_000;
    progress.end('unit', 'ok: 3 passed, 0 failed');
    expect(lines).toEqual(['1/3 unit        ok: 3 passed, 0 failed (0:52)']);
  });

  test('shows an advancing step at most every five seconds', () => {
    progress.begin('simulation', () => 'half');
    now = 4_999;
    progress.advance('simulation', 0.25);
    now = 65_000;
    progress.advance('simulation', 0.5);
    progress.advance('simulation', 0.6);
    expect(lines).toEqual(['2/3 simulation  half | 1:05 so far, about 3 min left']);
    progress.end('simulation', 'ok');
  });

  test('shows every silent step after fifteen seconds', () => {
    progress.begin('unit');
    progress.begin('e2e', () => '1 of 7 files');
    now = 14_999;
    progress.tick();
    expect(lines).toEqual([]);
    now = 15_000;
    progress.tick();
    progress.tick();
    expect(lines).toEqual([
      '1/3 unit        running for 0:15 | 0:15 so far, about 3 min left',
      '3/3 e2e         1 of 7 files | 0:15 so far, about 3 min left',
    ]);
    progress.end('unit', 'ok');
    progress.end('e2e', 'ok');
  });

  test('estimates the remaining time from the pace so far', () => {
    progress.begin('unit');
    now = 40_000;
    progress.end('unit', 'ok');
    progress.begin('simulation', () => '');
    now = 70_000;
    progress.tick();
    now = 190_000;
    progress.tick();
    expect(lines.slice(1).map((line) => line.split(', ').at(-1))).toEqual([
      'about 2 min left', 'about 5 min left',
    ]);
    progress.end('simulation', 'ok');
  });
});
