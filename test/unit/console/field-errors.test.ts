import { expect, test } from 'vitest';
import { ApiError, fieldErrorsOf } from '../../../controller/console/app/api/api-error.ts';

const validationError = (details: unknown) => fieldErrorsOf(new ApiError({ code: 'VALIDATION_ERROR', message: 'Validation failed', details }));
const issue = (path: string, message: string) => ({ path: path.split('.').filter(Boolean), message });

test('a message shown at a field is not in the summary', () => {
  const fields = validationError([issue('name', 'Too long'), issue('tags', 'Too many'), issue('', 'Unknown field "x"')]);
  expect(fields.summary).toEqual({
    hasFieldMessages: false, rest: [['name', 'Too long'], ['tags', 'Too many'], ['', 'Unknown field "x"']],
  });
  expect([fields.at('name'), fields.at('target')]).toEqual(['Too long', undefined]);
  expect(fields.summary).toEqual({ hasFieldMessages: true, rest: [['tags', 'Too many'], ['', 'Unknown field "x"']] });
});

test('a field shows all messages about fields inside it, and names them', () => {
  const fields = validationError([
    issue('config.to.1', 'Not an address'), issue('config.to.4', 'Twice'), issue('config.headers.X-A', 'Bad'),
    issue('assertions.0.target', 'Must not be empty'), issue('configuration', 'Unknown'),
  ]);
  expect(['config.to', 'config.headers', 'assertions', 'config.url'].map((path) => fields.at(path)))
    .toEqual(['2: Not an address 5: Twice', 'X-A: Bad', '1 target: Must not be empty', undefined]);
  expect(fields.summary.rest).toEqual([['configuration', 'Unknown']]);
});

test('a message about exactly this path leaves those inside it to others', () => {
  const fields = validationError([issue('uptime_thresholds', 'Must fall'), issue('uptime_thresholds.degraded', 'At most 100')]);
  expect(fields.exactly('uptime_thresholds')).toBe('Must fall');
  expect(fields.summary.rest).toEqual([['uptime_thresholds.degraded', 'At most 100']]);
});

test('other errors have no field messages', () => {
  expect([new Error('x'), null, undefined].map((error) => fieldErrorsOf(error).isEmpty)).toEqual([true, true, true]);
  expect([null, 'text', { resourceType: 'Monitor' }].map((details) => validationError(details).isEmpty)).toEqual([true, true, true]);
  expect(validationError({ errors: { name: 'Taken' } }).at('name')).toBe('Taken');
});
