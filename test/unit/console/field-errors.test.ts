import { expect, test } from 'vitest';
import { ApiError, fieldsOf } from '../../../controller/console/app/api/api-error.ts';

const refused = (details: unknown) => fieldsOf(new ApiError({ code: 'VALIDATION_ERROR', message: 'Validation failed', details }));
const fault = (path: string, message: string) => ({ path: path.split('.').filter(Boolean), message });

test('a message that a field takes is not among the rest', () => {
  const fields = refused([fault('name', 'Too long'), fault('tags', 'Too many'), fault('', 'Unknown field "x"')]);
  expect(fields.shown).toEqual({
    isAnyAtField: false, rest: [['name', 'Too long'], ['tags', 'Too many'], ['', 'Unknown field "x"']],
  });
  expect([fields.at('name'), fields.at('target')]).toEqual(['Too long', undefined]);
  expect(fields.shown).toEqual({ isAnyAtField: true, rest: [['tags', 'Too many'], ['', 'Unknown field "x"']] });
});

test('a field takes all messages about what is inside of it, and says what they are about', () => {
  const fields = refused([
    fault('config.to.1', 'Not an address'), fault('config.to.4', 'Twice'), fault('config.headers.X-A', 'Bad'),
    fault('assertions.0.target', 'Must not be empty'), fault('configuration', 'Unknown'),
  ]);
  expect(['config.to', 'config.headers', 'assertions', 'config.url'].map((path) => fields.at(path)))
    .toEqual(['2: Not an address 5: Twice', 'X-A: Bad', '1 target: Must not be empty', undefined]);
  expect(fields.shown.rest).toEqual([['configuration', 'Unknown']]);
});

test('a message about exactly this path leaves those inside of it to others', () => {
  const fields = refused([fault('uptime_thresholds', 'Must fall'), fault('uptime_thresholds.degraded', 'At most 100')]);
  expect(fields.exactly('uptime_thresholds')).toBe('Must fall');
  expect(fields.shown.rest).toEqual([['uptime_thresholds.degraded', 'At most 100']]);
});

test('other errors have nothing against fields', () => {
  expect([new Error('x'), null, undefined].map((error) => fieldsOf(error).isEmpty)).toEqual([true, true, true]);
  expect([null, 'text', { resourceType: 'Monitor' }].map((details) => refused(details).isEmpty)).toEqual([true, true, true]);
  expect(refused({ errors: { name: 'Taken' } }).at('name')).toBe('Taken');
});
