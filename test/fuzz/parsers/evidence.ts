import assert from 'node:assert/strict';
import type * as ResponseEvidenceModule from '../../../probe/evidence/response-evidence.ts';
import { evidence } from '../../../shared/contracts/evidence.ts';
import type { HttpSpec } from '../../../shared/contracts/check-spec.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

const SECRET = 'z3bra "x/1';
const SPEC: HttpSpec = {
  type: 'HTTP', url: 'http://a.test/', method: 'GET', headers: { 'X-Own': SECRET }, body: null,
  follow_redirects: false, max_redirects: 0, verify_ssl: true, expected_status: [], slow_response_threshold_ms: null,
};

const responseSchema = evidence.shape.last_good.unwrap();

/** Anything a target sends becomes a valid part of a message, as text, without the monitor's secret. */
export const evidenceText = fuzzedParser<typeof ResponseEvidenceModule>({
  name: 'evidence', entry: 'probe/evidence/response-evidence.ts',
  seeds: [
    'HTTP/1.1 500 Oops\r\nSet-Cookie: a=b\r\nLocation: /x?token=abc&code=1\r\n folded\r\n\r\n{"password": "a\\"b"}',
    `HTTP/1.1 500 Oops\r\nX-Echo: ${SECRET}\r\n\r\n${SECRET} ${JSON.stringify(SECRET)} ${encodeURIComponent(SECRET)}`,
    `HTTP/1.1 200 OK\r\n\r\n${btoa(`user:${SECRET}`)} z3bra &quot;x/1 z3bra+%22x%2f1 \\u007a3bra \\"x\\/1`,
    'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-16le\r\n\r\nz\x003\0b\0r\0a\0 \0"\0x\0/\x001\0',
    'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03',
    'HTTP/1.1 200 OK\r\n\r\nBearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.x <input name="csrf" type="hidden" value="1">',
    `HTTP/1.1 200 OK\r\n\r\n${'%\\u&#x"token="'.repeat(200)}`,
  ],
  feed: ({ EvidenceRedactor }, bytes) => {
    const text = bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n') + 4;
    const shown = new EvidenceRedactor(SPEC).redact({
      checkedAt: 1, remoteAddress: null, addresses: [], timings: null, certificate: null,
      head: end < 4 ? null : text.slice(0, end), body: text.slice(Math.max(0, end)).slice(0, 4096),
    });
    responseSchema.parse(shown);
    const { status_line: status, headers, body_excerpt: body } = shown;
    for (const shownText of [status, ...headers.flatMap(({ name, value }) => [name, value]), body]) {
      assert.ok(!shownText?.includes(SECRET));
      assert.doesNotMatch(shownText ?? '', /[^\P{Cc}\n\r\t]/u);
    }
  },
});
