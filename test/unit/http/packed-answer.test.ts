import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PackedAnswer, preferredEncoding } from '../../../controller/http/packed-answer.ts';

const TEXT = 'All systems are operational. '.repeat(100);
const long = () => new PackedAnswer(TEXT, { 'Content-Type': 'text/plain' });

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

describe('an answer for many', () => {
  test('has the same content in each encoding, and a tag for each', async () => {
    const answer = long();
    const [plain, gzip, br] = await Promise.all(
      [undefined, 'gzip', 'br'].map((accepted) => answer.reply({ 'accept-encoding': accepted })),
    );
    expect([plain?.body, gunzipSync(gzip?.body as Buffer), brotliDecompressSync(br?.body as Buffer)].map(String))
      .toEqual([TEXT, TEXT, TEXT]);
    expect(new Set([plain, gzip, br].map((reply) => reply?.headers['ETag'])).size).toBe(3);
    expect(gzip?.headers).toMatchObject({
      'Content-Encoding': 'gzip', 'Content-Length': String(gzip?.body.length), Vary: 'Accept-Encoding',
    });
    expect(plain?.headers).not.toHaveProperty('Content-Encoding');
  });

  test('is there at once after it was made in that encoding', async () => {
    const answer = long();
    expect(answer.replyAtOnce({ 'accept-encoding': 'br' })).toBeNull();
    await answer.reply({ 'accept-encoding': 'br' });
    expect(answer.replyAtOnce({ 'accept-encoding': 'br' })?.status).toBe(200);
    expect(answer.replyAtOnce({})).toBeNull();
    expect(new PackedAnswer('short', {}).replyAtOnce({ 'accept-encoding': 'br' })?.headers).toMatchObject({
      'Content-Length': '5',
    });
  });

  test.each([
    ['the tag', (tag: string) => tag, 304],
    ['a weak tag among others', (tag: string) => `"other", W/${tag}`, 304],
    ['anything', () => '*', 304],
    ['another tag', () => '"other"', 200],
  ] as const)('is %s already: %j', async (_what, held, status) => {
    const answer = long();
    const tag = (await answer.reply({})).headers['ETag'] as string;
    const reply = await answer.reply({ 'if-none-match': held(tag) });
    expect([reply.status, reply.body.length > 0]).toEqual([status, status === 200]);
    expect(reply.headers['ETag']).toBe(tag);
  });

  test('has another tag when only a header differs', async () => {
    const other = new PackedAnswer(TEXT, { 'Content-Type': 'text/plain', 'Content-Language': 'de' });
    expect((await other.reply({})).headers['ETag']).not.toBe((await long().reply({})).headers['ETag']);
  });

  test('has text with a character per byte, and never a header that HTTP forbids', async () => {
    const { text, body } = await new PackedAnswer('Grüße ✓', { 'X-Of': 'a page' }).reply({});
    expect(Buffer.from(text.body, 'latin1')).toEqual(body);
    const lines = /^X-Of: a page\r\nVary: Accept-Encoding\r\nETag: "[^"]+"\r\nContent-Length: 11\r\n$/;
    expect(text.headers).toMatch(lines);
    const forged = await new PackedAnswer('short', { 'X-Of': 'a page\r\nSet-Cookie: a=b' }).reply({});
    expect(() => forged.text).toThrow('Invalid character in header content ["X-Of"]');
  });
});
