import { describe, expect, test } from 'vitest';
import { neededOf } from '../../../controller/console/app/editing/policy.ts';
import { valueText } from '../../../controller/console/app/editing/value-text.ts';

describe('a change that is shown before it is saved', () => {
  test.each([
    ['tags', ['a', 'b'], 'a\nb'], ['verify_ssl', false, '✗'], ['timeout_ms', null, ''], ['interval_seconds', 60, '60'],
    ['assertions', [{ source: 'json', property: '$.ok', comparison: 'exists' }], 'json $.ok exists'],
    ['keyword_config.keywords', [{ text: 'Sold out', should_contain: false }], '− Sold out'],
    ['dns_config.record_entries', [{ type: 'A', expected_values: ['192.0.2.1'], match: 'exact' }], 'A 192.0.2.1 exact'],
  ])('reads well (%s)', (path, value, text) => {
    expect(valueText(path, value)).toBe(text);
  });

  test('tells no password, token or key', () => {
    const shown = [
      valueText('auth', { type: 'basic', username: 'ada', password: 'hidden' }), valueText('auth', { type: 'bearer', token: 'hidden' }),
      valueText('headers', { 'X-Api-Key': 'hidden', Authorization: 'hidden', Cookie: 'hidden', Accept: 'text/html', Other: null }),
    ].join('\n');
    expect(shown).not.toContain('hidden');
    expect(shown).toContain('basic ada');
    expect(shown).toContain('Accept: text/html');
  });
});

test.each([
  ['majority', 3, 2], ['majority', 4, 3], ['all', 3, 3], ['any', null, 1], [2, null, 2], ['majority', null, null], ['all', 0, null],
] as const)('%s of %s regions are %s', (quorum, regions, needed) => {
  expect(neededOf(quorum, regions)).toBe(needed);
});
