import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  headerValue, HeadReader, MAX_HEAD_BYTES, type HeadOutcome,
} from '../../../../probe/checks/http/response-head.ts';

const FIXTURES = join(import.meta.dirname, 'heads');
const names = readdirSync(FIXTURES).filter((name) => name.endsWith('.txt')).map((name) => name.slice(0, -4));

describe('the response head parser', () => {
  test.each(names)('reads %s', (name) => {
    const raw = readFileSync(join(FIXTURES, `${name}.txt`));
    const expected = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as HeadOutcome;
    if (expected.kind === 'head') expected.head.text = raw.toString('latin1', 0, raw.length - expected.rest);
    const hash = expect.any(Number) as number;
    if (expected.kind === 'head') expected.head.comparedHash = hash;
    expect(new HeadReader().push(raw, 0, raw.length)).toEqual(expected);
  });

  test.each(names)('reads %s in any pieces, at any position of a reused buffer', (name) => {
    const raw = readFileSync(join(FIXTURES, `${name}.txt`));
    const whole = new HeadReader().push(raw, 0, raw.length);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), fc.nat(9), (sizes, offset) => {
        const reader = new HeadReader();
        const shared = Buffer.alloc(64, 0x0a);
        let outcome: HeadOutcome = { kind: 'partial' };
        let at = 0;
        for (let turn = 0; at < raw.length && outcome.kind === 'partial'; turn += 1) {
          const size = Math.min(sizes[turn % sizes.length] as number, raw.length - at);
          raw.copy(shared, offset, at, at + size);
          outcome = reader.push(shared, offset, offset + size);
          shared.fill(0x0a);
          at += size;
        }
        const left = raw.length - at;
        expect(outcome.kind === 'head' ? { ...outcome, rest: outcome.rest + left } : outcome).toEqual(whole);
      }),
    );
  });

  test('rejects a head over the limit, in one piece or several, and accepts one at the limit', () => {
    const start = 'HTTP/1.1 200 OK\r\nX: ';
    const fitting = Buffer.from(`${start}${'a'.repeat(MAX_HEAD_BYTES - start.length - 4)}\r\n\r\n`);
    expect(new HeadReader().push(fitting, 0, fitting.length).kind).toBe('head');
    const large = Buffer.from(`${start}${'a'.repeat(MAX_HEAD_BYTES)}\r\n\r\n`);
    expect(new HeadReader().push(large, 0, large.length)).toMatchObject({
      kind: 'bad', problem: 'the response headers are larger than 32 kB',
    });
    const reader = new HeadReader();
    let outcome = reader.push(large, 0, 1000);
    for (let at = 1000; outcome.kind === 'partial'; at += 1000) outcome = reader.push(large, at, at + 1000);
    expect(outcome.kind).toBe('bad');
  });

  test('rejects an endless head after 32 kB, whatever its lines', () => {
    const reader = new HeadReader();
    reader.push(Buffer.from('HTTP/1.1 200 OK\r\n'), 0, 17);
    let pushed = 17;
    const line = Buffer.from('Set-Cookie: a=b\r\n');
    while (reader.push(line, 0, line.length).kind === 'partial') pushed += line.length;
    expect(pushed).toBeLessThanOrEqual(MAX_HEAD_BYTES);
  });

  test('finds a header in any case, and joins repeated ones', () => {
    const text = 'HTTP/1.1 200 OK\r\nX-Id:  a b \r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nX-Idle: no\r\n\r\n';
    expect(['x-id', 'SET-COOKIE', 'x', 'HTTP/1.1 200 OK'].map((name) => headerValue(text, name)))
      .toEqual(['a b', 'a=1, b=2', null, null]);
  });
});
