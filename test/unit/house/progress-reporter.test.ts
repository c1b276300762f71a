import { expect, test } from 'vitest';
import { ProgressReporter } from '../../progress-reporter.mjs';

test('a run that ends before its first file has failed', () => {
  const outcomes: string[] = [];
  const progress = { begin: () => undefined, end: (_: string, outcome: string) => outcomes.push(outcome) };
  const reporter = new ProgressReporter(progress, 'browser');
  reporter.onTestRunEnd([], [], 'failed');
  expect(reporter.failed).toBe(1);
  expect(outcomes).toEqual(['FAIL: 0 passed, 1 failed']);
});
