import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { derivedId, fnv1a, hashSecret, newId, newSecret, shardName, ShardMap } from '../../../shared/ids.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  test('are UUIDs of version 7 that sort by creation time', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 48 - 2 }), (now) => {
      const earlier = newId(now);
      expect(UUID.exec(earlier)?.[1]).toBe('7');
      expect(Number.parseInt(earlier.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
      expect(earlier < newId(now + 1)).toBe(true);
    }));
    expect(new Set(Array.from({ length: 1000 }, () => newId(5))).size).toBe(1000);
  });

  test('derived from the same parts are equal, and from other parts differ', () => {
    expect(derivedId('monitor', 17, 'webhook')).toBe(derivedId('monitor', 17, 'webhook'));
    expect(UUID.exec(derivedId('a'))?.[1]).toBe('8');
    const all = [
      derivedId('ab', 'c'), derivedId('a', 'bc'), derivedId('abc'), derivedId('1'), derivedId(1),
      derivedId('a', 'b', 'c'), derivedId('a,b', 'c'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test('that are derived never change, because stored ones must be found again', () => {
    expect(derivedId('monitor', 17, 'webhook')).toBe('90a23e4f-d9b0-8069-bd8c-cae170699612');
  });

  test('secrets have 256 bits, and their hash is SHA-256', () => {
    expect(newSecret()).toMatch(/^[0-9a-f]{64}$/);
    expect(newSecret()).not.toBe(newSecret());
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('shards', () => {
  test('use 32-bit FNV-1a, as its published test vectors show', () => {
    const vectors: [string, number][] = [
      ['', 0x811c9dc5], ['a', 0xe40c292c], ['b', 0xe70c2de5], ['foobar', 0xbf9cf968], ['fo', 0x6222e842],
      ['chongo was here!\n', 0xd49930d5],
    ];
    for (const [text, hash] of vectors) expect(fnv1a(text), text).toBe(hash);
  });

  test('hash text beyond ASCII by its UTF-8 bytes', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      let hash = 0x811c9dc5n;
      for (const byte of Buffer.from(text, 'utf8')) {
        hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
      }
      expect(fnv1a(text)).toBe(Number(hash));
    }));
  });

  test.each([1, 16, 256])('receive ids evenly, if there are %i', (number) => {
    const shardMap = new ShardMap(number);
    const counts = shardMap.all.map(() => 0);
    for (let count = 0; count < 1000 * number; count += 1) {
      const shard = shardMap.of(newId(1_760_000_000_000 + count));
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(800);
  });

  test('never change their hash function or names, which hold for the life of an installation', () => {
    const of = (count: number) => new ShardMap(count).of('0199f0a2-7c11-7d3e-8a55-3f1f0c9b2a10');
    expect([1, 16, 256].map(of)).toEqual([0, 5, 117]);
    expect([0, 9, 10, 15, 255].map(shardName)).toEqual(['00', '09', '10', '15', '255']);
  });
});
