import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CompressedResponse, preferredEncoding } from '../../../../controller/http/responses/compressed-response.ts';

const TEXT = 'All systems are operational. '.repeat(100);
const long = () => new CompressedResponse(TEXT, { 'Content-Type': 'text/plain' });

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, *;q=0.5', 'gzip'],
  ['br;q=0, GZIP', 'gzip'],
  ['br;q=0.000', 'identity'],
  ['br;q=0.5', 'br'],
  ['brotli, xgzip', 'identity'],
] as const)('Accept-Encoding %j gets %s', (accepted, encoding) => {
  expect(preferredEncoding(accepted)).toBe(encoding);
});

describe('compressed response', () => {
  test('has the same content in each encoding, with an ETag of its own', async () => {
    const response = long();
    const [plain, gzip, br] = await Promise.all(
      [undefined, 'gzip', 'br'].map((accepted) => response.negotiate({ 'accept-encoding': accepted })),
    );
    expect([plain?.body, gunzipSync(gzip?.body as Buffer), brotliDecompressSync(br?.body as Buffer)].map(String))
      .toEqual([TEXT, TEXT, TEXT]);
    expect(new Set([plain, gzip, br].map((encoded) => encoded?.headers['ETag'])).size).toBe(3);
    expect(gzip?.headers).toMatchObject({
      'Content-Encoding': 'gzip', 'Content-Length': String(gzip?.body.length), Vary: 'Accept-Encoding',
    });
    expect(plain?.headers).not.toHaveProperty('Content-Encoding');
  });

  test('is available synchronously once it was built in that encoding', async () => {
    const response = long();
    expect(response.negotiateSync({ 'accept-encoding': 'br' })).toBeNull();
    await response.negotiate({ 'accept-encoding': 'br' });
    expect(response.negotiateSync({ 'accept-encoding': 'br' })?.status).toBe(200);
    expect(response.negotiateSync({})).toBeNull();
    expect(new CompressedResponse('short', {}).negotiateSync({ 'accept-encoding': 'br' })?.headers).toMatchObject({
      'Content-Length': '5',
    });
  });

  test.each([
    ['the tag', (tag: string) => tag, 304],
    ['a weak tag among others', (tag: string) => `"other", W/${tag}`, 304],
    ['anything', () => '*', 304],
    ['another tag', () => '"other"', 200],
  ] as const)('handles If-None-Match with %s', async (_what, held, status) => {
    const response = long();
    const tag = (await response.negotiate({})).headers['ETag'] as string;
    const encoded = await response.negotiate({ 'if-none-match': held(tag) });
    expect([encoded.status, encoded.body.length > 0]).toEqual([status, status === 200]);
    expect(encoded.headers['ETag']).toBe(tag);
  });

  test('has another ETag if only a header differs', async () => {
    const other = new CompressedResponse(TEXT, { 'Content-Type': 'text/plain', 'Content-Language': 'de' });
    expect((await other.negotiate({})).headers['ETag']).not.toBe((await long().negotiate({})).headers['ETag']);
  });

  test('has text with one character per byte, and never a header that HTTP forbids', async () => {
    const { text, body } = await new CompressedResponse('Grüße ✓', { 'X-Of': 'a page' }).negotiate({});
    expect(Buffer.from(text.body, 'latin1')).toEqual(body);
    const lines = /^X-Of: a page\r\nVary: Accept-Encoding\r\nETag: "[^"]+"\r\nContent-Length: 11\r\n$/;
    expect(text.headers).toMatch(lines);
    const forged = await new CompressedResponse('short', { 'X-Of': 'a page\r\nSet-Cookie: a=b' }).negotiate({});
    expect(() => forged.text).toThrow('Invalid character in header content ["X-Of"]');
  });
});
