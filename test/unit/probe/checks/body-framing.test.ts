import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyFraming, type Framing, type FramingOutcome } from '../../../../probe/checks/http/body-framing.ts';

/** The result of a body in these pieces: its content, and how it ended. */
function read(framing: Framing, pieces: readonly Buffer[]) {
  let content = '';
  const reader = new BodyFraming(framing, {
    take: (bytes, start, end) => void (content += Buffer.from(bytes.subarray(start, end)).toString('latin1')),
  });
  let outcome: FramingOutcome = { kind: 'partial' };
  let unread = pieces.reduce((sum, piece) => sum + piece.length, 0);
  // Pieces are at any offset of a buffer that is overwritten.
  const shared = Buffer.alloc(unread + 3, 0x30);
  for (const piece of pieces) {
    if (outcome.kind !== 'partial') break;
    piece.copy(shared, 3);
    outcome = reader.push(shared, 3, 3 + piece.length);
    shared.fill(0x30);
    unread -= piece.length;
  }
  const end: FramingOutcome = outcome.kind === 'end' ? { ...outcome, rest: outcome.rest + unread } : outcome;
  return { content, end, received: reader.received, missing: outcome.kind === 'partial' ? reader.close() : null };
}

const BODIES: [Framing, string][] = [
  ['chunked', '5\r\nhello\r\n6 ;a="b"\r\n world\r\n0\r\nX: y\r\n\r\nrest'],
  ['chunked', '5\nhello\n0\n\n'],
  ['chunked', 'A\r\n0123456789\r\n000\r\n\r\n'],
  ['chunked', '5\r\nhel'],
  ['chunked', '5\r\nhello!\r\n'],
  ['chunked', '\r\n'],
  ['chunked', 'g\r\n'],
  ['chunked', '5\r\nhello\r\r\n'],
  ['chunked', '0\r\n\r\r\n'],
  [5, 'hello world'], [5, 'hel'], [0, 'x'], ['close', 'hello'],
];

describe('body framing', () => {
  test.each(BODIES)('%s %j ends the same way in one piece or many', (framing, text) => {
    const whole = Buffer.from(text, 'latin1');
    const expected = read(framing, [whole]);
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (sizes) => {
      const pieces: Buffer[] = [];
      for (let at = 0, turn = 0; at < whole.length; turn += 1) {
        const size = sizes[turn % sizes.length] as number;
        pieces.push(whole.subarray(at, at + size));
        at += size;
      }
      expect(read(framing, pieces)).toEqual(expected);
    }));
  });

  test('passes on only the content', () => {
    expect(read('chunked', [Buffer.from((BODIES[0] as [Framing, string])[1])])).toEqual({
      content: 'hello world', end: { kind: 'end', rest: 4 }, received: 11, missing: null,
    });
    expect(read(5, [Buffer.from('hello world')])).toMatchObject({ content: 'hello', end: { kind: 'end', rest: 6 } });
    expect(read('close', [Buffer.from('abc')])).toMatchObject({ content: 'abc', missing: null });
    expect(read(5, [Buffer.from('abc')])).toMatchObject({ missing: 'Expected 5 bytes of body, got 3' });
  });

  test.each([
    ['endless zeros', '0'], ['an endless extension', '5;'], ['an endless trailer line', '0\r\nx'],
    ['endless trailer fields', '0\r\nA: b\r\n'], ['endless returns in a trailer', '0\r\n\r'],
  ])('rejects %s after a few kB', (_what, start) => {
    const reader = new BodyFraming('chunked', { take: () => expect.unreachable() });
    const more = Buffer.from(start.endsWith('\n') ? 'A: b\r\n' : start.slice(-1));
    let outcome = reader.push(Buffer.from(start), 0, start.length);
    let pushed = 0;
    for (; outcome.kind === 'partial'; pushed += more.length) outcome = reader.push(more, 0, more.length);
    expect(outcome.kind).toBe('bad');
    expect(pushed).toBeLessThan(10_000);
  });
});
