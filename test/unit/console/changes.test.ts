import { describe, expect, test } from 'vitest';
import { requiredRegions } from '../../../controller/console/app/editing/policy.ts';
import { PATHS, type Path } from '../../../controller/console/app/editing/fields.ts';
import { changeOf } from '../../../controller/console/app/editing/import-change.ts';
import { valueText } from '../../../controller/console/app/editing/value-text.ts';

const LABELS = {
  ...Object.fromEntries(PATHS.map((path) => [path, path])) as Record<Path, string>,
  interval_seconds: 'Check every', group_id: 'Group', headers: 'Headers', auth: 'Sign in with', body: 'Body',
};

describe('a change previewed before saving', () => {
  test.each([
    ['tags', ['a', 'b'], 'a\nb'], ['verify_ssl', false, '✗'], ['timeout_ms', null, ''], ['interval_seconds', 60, '60'],
    ['assertions', [{ source: 'json', property: '$.ok', comparison: 'exists' }], 'json $.ok exists'],
    ['keyword_config.keywords', [{ text: 'Sold out', should_contain: false }], '− Sold out'],
    ['dns_config.record_entries', [{ type: 'A', expected_values: ['192.0.2.1'], match: 'exact' }], 'A 192.0.2.1 exact'],
  ])('is readable (%s)', (path, value, text) => {
    expect(valueText(path, value)).toBe(text);
  });

  test('contains no password, token or key', () => {
    const shown = [
      valueText('auth', { type: 'basic', username: 'ada', password: 'hidden' }), valueText('auth', { type: 'bearer', token: 'hidden' }),
      valueText('headers', { 'X-Api-Key': 'hidden', Authorization: 'hidden', Cookie: 'hidden', Accept: 'text/html', Other: '***' }),
    ].join('\n');
    expect(shown).not.toContain('hidden');
    expect(shown).toContain('basic ada');
    expect(shown).toContain('Accept: text/html');
  });
});

test.each([
  [{ field: 'interval_seconds', before: 60, after: 300 }, { field: 'Check every', before: '60', after: '300' }],
  [{ field: 'group', before: 'Shops', after: null }, { field: 'Group', before: 'Shops', after: '' }],
  [{ field: 'headers.Accept', before: null, after: 'text/html' }, { field: 'Headers Accept', before: '', after: 'text/html' }],
  [{ field: 'auth.token', before: '***', after: '***' }, { field: 'Sign in with token', before: '••••', after: '••••' }],
  [{ field: 'body', before: '', after: '***' }, { field: 'Body', before: '', after: '••••' }],
  [{ field: 'branding.logoUrl', before: null, after: '/a.svg' }, { field: 'branding.logoUrl', before: '', after: '/a.svg' }],
])('a difference reported by an import is readable (%j)', (difference, shown) => {
  expect(changeOf(difference, LABELS)).toEqual(shown);
});

test.each([
  ['majority', 3, 2], ['majority', 4, 3], ['all', 3, 3], ['any', null, 1], [2, null, 2], ['majority', null, null], ['all', 0, null],
] as const)('quorum %s of %s regions requires %s', (quorum, regions, needed) => {
  expect(requiredRegions(quorum, regions)).toBe(needed);
});
