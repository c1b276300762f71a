import { expect, test } from 'vitest';
import { formatUuid, UuidCache } from '../../../shared/ids.ts';

test('a cache of ids returns the requested id, even for ids that share a slot', () => {
  const cache = new UuidCache();
  const ids = [0, 1, 200].flatMap((byte) => Array.from({ length: 16 }, (_, place) => {
    const bytes = Buffer.alloc(20, 7);
    bytes[2 + place] = byte;
    return bytes;
  }));
  for (let round = 0; round < 2; round += 1) {
    for (const bytes of ids) expect(cache.text(bytes, 2)).toBe(formatUuid(bytes, 2));
  }
});
