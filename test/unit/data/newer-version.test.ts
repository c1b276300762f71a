import { expect, test } from 'vitest';
import { isNewer } from '../../../deploy/data/newer-version.ts';

const IN_ORDER = ['1.0.0-beta.2', '1.0.0-rc.1', '1.0.0-rc.2', '1.0.0-rc.10', '1.0.0', '1.0.1', '1.9.0', '1.10.0', '2.0.0'];

test('versions are ordered as in Semantic Versioning', () => {
  for (const [at, version] of IN_ORDER.entries()) {
    for (const [other, than] of IN_ORDER.entries()) expect(isNewer(version, than), `${version} ${than}`).toBe(at > other);
  }
  expect(isNewer('1.0.0+two', '1.0.0+one')).toBe(false);
});
