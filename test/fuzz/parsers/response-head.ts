import assert from 'node:assert/strict';
import type * as ResponseHead from '../../../probe/checks/http/response-head.ts';
import { fuzzedParser, piecesOf } from './fuzzed-parser.ts';

type Outcome = ResponseHead.HeadOutcome;

/** In one piece or several, the outcome is the same, and its texts are no longer than the input. */
export const responseHead = fuzzedParser<typeof ResponseHead>({
  name: 'response-head', entry: 'probe/checks/http/response-head.ts',
  seeds: [
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: x\r\n\r\nhello',
    'HTTP/1.0 301 Moved\r\nLocation: https://example.com/a?b=c\r\nConnection: close\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nContent-Type: text/html\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nX-Long: aaaaaaaaaaaaaaaaaaaaaaaaa\r\n\r\n',
    'HTTP/1.1 500 Internal Server Error\nContent-Length: 0\nLocation:\n\n',
    'SSH-2.0-OpenSSH_9.2\r\n',
  ],
  feed: ({ HeadReader, MAX_HEAD_BYTES }, bytes, random) => {
    const whole = structuredClone(new HeadReader().push(bytes, 0, bytes.length));
    const reader = new HeadReader();
    let outcome: Outcome = { kind: 'partial' };
    let unread = bytes.length;
    for (const piece of piecesOf(bytes, random, Math.max(64, bytes.length / 20))) {
      if (outcome.kind !== 'partial') break;
      outcome = reader.push(piece, 0, piece.length);
      unread -= piece.length;
    }
    const all: Outcome = outcome.kind === 'head' ? { ...outcome, rest: outcome.rest + unread } : outcome;
    // If a head has two faults, pieces may reveal the other one first.
    if (bytes.length > MAX_HEAD_BYTES) assert.equal(all.kind, whole.kind);
    else assert.deepEqual(all, whole);
    if (whole.kind !== 'head') return;
    assert.ok(whole.rest >= 0 && whole.rest <= bytes.length);
    assert.ok((whole.head.location?.length ?? 0) <= bytes.length);
  },
});
