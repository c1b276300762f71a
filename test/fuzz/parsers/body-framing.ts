import assert from 'node:assert/strict';
import type * as BodyFraming from '../../../probe/checks/http/body-framing.ts';
import { fuzzedParser, piecesOf } from './fuzzed-parser.ts';

type Outcome = BodyFraming.FramingOutcome;

/** In one piece or several, outcome and content are the same. */
export const bodyFraming = fuzzedParser<typeof BodyFraming>({
  name: 'body-framing', entry: 'probe/checks/http/body-framing.ts',
  seeds: [
    '5\r\nhello\r\n6 ;a="b"\r\n world\r\n0\r\nX: y\r\n\r\nrest',
    'A\n0123456789\n0\n\n',
    'fffffffffffff\r\nabc',
    '0\r\nA: b\r\nC: d\r\nE: f\r\n\r\n',
    `1;${'x'.repeat(300)}\r\na\r\n0\r\n\r\n`,
  ],
  feed: ({ BodyFraming: Reader }, bytes, random) => {
    const read = (pieces: readonly Buffer[]) => {
      let content = '';
      const take = (piece: Uint8Array, start: number, end: number): void => {
        content += Buffer.from(piece.subarray(start, end)).toString('latin1');
      };
      const reader = new Reader('chunked', { take });
      let outcome: Outcome = { kind: 'partial' };
      let unread = bytes.length;
      for (const piece of pieces) {
        if (outcome.kind !== 'partial') break;
        outcome = reader.push(piece, 0, piece.length);
        unread -= piece.length;
      }
      assert.equal(reader.received, content.length);
      const end = outcome.kind === 'end' ? { ...outcome, rest: outcome.rest + unread } : { ...outcome };
      return { content, end, missing: outcome.kind === 'partial' ? reader.close() : null };
    };
    const whole = read([bytes]);
    assert.deepEqual(read(piecesOf(bytes, random, Math.max(64, bytes.length / 20))), whole);
    assert.ok(whole.content.length <= bytes.length);
  },
});
