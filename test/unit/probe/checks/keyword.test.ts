import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { excerptText } from '../../../../probe/checks/http/excerpt-text.ts';
import { checkKeywords, closeServers, serve } from './http-fixture.ts';

afterEach(closeServers);

async function servePage(body: string | Buffer, headers = ''): Promise<string> {
  const { port } = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n`);
    socket.end(body);
  });
  return `http://127.0.0.1:${port}/`;
}

/** The outcome of a check for these keywords on a page: `ok`, or its message. */
async function said(
  page: string | Buffer, keywords: Parameters<typeof checkKeywords>[0],
  spec: Parameters<typeof checkKeywords>[1] & { head?: string } = {},
): Promise<string> {
  const { head, ...own } = spec;
  const { outcome, error } = await checkKeywords(keywords, { url: await servePage(page, head), ...own });
  if (outcome === 'success') return 'ok';
  expect(error).toMatchObject({ type: 'keyword_missing', layer: 'content' });
  return error?.message ?? '';
}

const PAGE = '<p>In stock: 5 (a+b)*</p>';

describe('a KEYWORD check', () => {
  test('succeeds with status and times like an HTTP check, and requests a compressed page', async () => {
    const server = await serve((socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${PAGE}`));
    const url = `http://127.0.0.1:${server.port}/`;
    const finding = await checkKeywords(['in stock'], { url });
    expect(finding).toMatchObject({ outcome: 'success', status_code: 200, remote_address: '127.0.0.1', detail: null });
    expect(finding.timings?.transfer).toBeGreaterThanOrEqual(0);
    expect(server.received[0]).toContain('Accept-Encoding: gzip, deflate, br\r\n');
    await checkKeywords(['in stock'], { url, headers: { 'accept-encoding': 'identity' } });
    expect(server.received[1]).not.toContain('gzip');
  });

  test.each<[Parameters<typeof checkKeywords>[0], Parameters<typeof said>[2], string]>([
    [['IN STOCK', '</p>'], {}, 'ok'],
    [['In stock'], { case_sensitive: true }, 'ok'],
    [['IN STOCK'], { case_sensitive: true }, 'Expected a keyword, but the body lacks "IN STOCK"'],
    [['Sold out', 'x'], {}, 'Expected keywords, but the body lacks "Sold out", "x"'],
    [[{ not: 'Error' }], {}, 'ok'],
    [[{ not: 'stock' }, '<p>'], {}, 'Expected no such keyword, but the body contains "stock"'],
    [['Sold out', { not: 'stock' }], {},
      'Expected some keywords and not others, but the body lacks "Sold out" and the body contains "stock"'],
    [['Sold out', 'in stock'], { match_mode: 'any' }, 'ok'],
    [['Sold out', { not: 'Error' }], { match_mode: 'any' }, 'ok'],
    [['Sold out', { not: 'stock' }], { match_mode: 'any' },
      'Expected at least one keyword condition to hold, but the body lacks "Sold out" and the body contains "stock"'],
    [['(a+b)*'], {}, 'ok'],
    [['(a+)+$'], {}, 'Expected a keyword, but the body lacks "(a+)+$"'],
    [['stock.*5'], {}, 'Expected a keyword, but the body lacks "stock.*5"'],
    [['a\u001b[31m\nb'], {}, 'Expected a keyword, but the body lacks "a [31m b"'],
    [['1', '2', '3', '4', '6', '7', '8'], {},
      'Expected keywords, but the body lacks "1", "2", "3", "4", "6" and 2 more'],
  ])('searches for %j with %j: %s', async (keywords, spec, expected) => {
    expect(await said(PAGE, keywords, spec)).toBe(expected);
  });

  test('does not search a response with the wrong status', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 500 Oops\r\n\r\nin stock'));
    expect(await checkKeywords(['in stock'], { url: `http://127.0.0.1:${server.port}/` })).toMatchObject({
      outcome: 'failure', error: { type: 'status_code' },
    });
  });

  test('shows the page it searched as evidence', async () => {
    const page = gzipSync('Grüße! '.repeat(1000));
    const url = await servePage(page, 'Content-Encoding: gzip\r\n');
    const { observed } = await checkKeywords(['Tschüss'], { url });
    expect(excerptText(observed?.head ?? '', observed?.body ?? '')).toBe('Grüße! '.repeat(1000).slice(0, 4096));
  });

  const text = 'Größe: 5 € – 日本語 Привет';
  const html = 'Content-Type: text/html';
  test.each<[string, Buffer, string, string]>([
    ['in undeclared UTF-8', Buffer.from(text), '', '日本語'],
    ['with a byte order mark, whatever the header says', Buffer.from(`\ufeff${text}`),
      `${html}; charset=windows-1251\r\n`, 'Größe: 5 €'],
    ['in UTF-16, by its mark', Buffer.from(`\ufeff${text}`, 'utf16le'), '', 'Привет'],
    ['in UTF-16, by the header', Buffer.from(text, 'utf16le'), `${html};charset="UTF-16LE"\r\n`, '日本語'],
    ['in undeclared Latin-1', Buffer.from('Größe', 'latin1'), '', 'GRÖßE'],
    ['in undeclared Windows-1252', Buffer.from('Größe: 5 \x80 \x96 \x84x\x93', 'latin1'), '', '5 € – „x“'],
    ['in Windows-1251, by the header', Buffer.from('cff0e8e2e5f2', 'hex'), `${html}; charset=windows-1251\r\n`, 'Привет'],
    ['in Shift_JIS, by a meta element', Buffer.concat([
      Buffer.from('<html><head><META charset=shift_jis>'), Buffer.from('93fa967b8cea', 'hex'),
    ]), `${html}\r\n`, '日本語'],
    ['in GB18030, by http-equiv', Buffer.concat([
      Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=gb18030">'), Buffer.from('d6d0cec4', 'hex'),
    ]), `${html}\r\n`, '中文'],
    ['in UTF-8 where meta claims UTF-16', Buffer.from(`<meta charset="utf-16">${text}`), '', 'Größe'],
    ['in UTF-8 where the header names no known charset', Buffer.from(text), `${html}; charset=klingon\r\n`, 'Größe'],
  ])('finds text %s', async (_what, body, head, keyword) => {
    expect(await said(body, [keyword, { not: '\ufffd' }], { head })).toBe('ok');
  });

  test('finds accented letters in either Unicode form of the page', async () => {
    for (const page of ['caf\u00e9', 'cafe\u0301']) {
      for (const keyword of ['CAF\u00c9', 'cafe\u0301']) expect(await said(page, [keyword])).toBe('ok');
    }
    expect(await said('cafe', ['caf\u00e9'])).not.toBe('ok');
  });

  test.each([
    ['gzip', gzipSync(PAGE)], ['X-GZIP', gzipSync(PAGE)], ['deflate', deflateSync(PAGE)],
    ['br', brotliCompressSync(PAGE)], ['identity', Buffer.from(PAGE)],
  ])('reads a page in %s', async (encoding, body) => {
    expect(await said(body, ['in stock'], { head: `Content-Encoding: ${encoding}\r\n` })).toBe('ok');
  });

  test.each([
    ['zstd', 'Expected gzip, deflate or br, got zstd'],
    ['gzip, gzip', 'Expected one encoding of the body, got gzip, gzip'],
  ])('fails for a page in the unsupported encoding %s', async (encoding, message) => {
    const url = await servePage('x', `Content-Encoding: ${encoding}\r\n`);
    expect(await checkKeywords([{ not: 'Error' }], { url })).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', layer: 'content', message },
    });
  });

  test('searches the first 256 kB on the wire, and the first 1 MB of a compressed page', async () => {
    const long = (size: number) => `first${' '.repeat(size - 9)}last`;
    expect(await said(long(262_144), ['first', 'last'])).toBe('ok');
    expect(await said(`${long(262_145)}${' '.repeat(9)}`, ['first', 'last'])).toBe(
      'Expected a keyword, but the body lacks "last" (searched: the first 256 kB)',
    );
    const head = 'Content-Encoding: gzip\r\n';
    expect(await said(gzipSync(long(1_048_575)), ['first', 'last'], { head })).toBe('ok');
    expect(await said(gzipSync(long(1_048_577)), ['first', 'last'], { head })).toBe(
      'Expected a keyword, but the body lacks "last" (searched: the first 1024 kB)',
    );
  });

  test('searches the received part of a compressed page longer than 256 kB', async () => {
    const noise = Array.from({ length: 60_000 }, (_, at) => ((at * 2_654_435_761) % 4_294_967_296).toString(36)).join();
    const body = gzipSync(`first${noise}last`, { level: 1 });
    expect(body.length).toBeGreaterThan(262_144);
    const found = await said(body, ['first', 'last'], { head: 'Content-Encoding: gzip\r\n' });
    expect(found).toMatch(/^Expected a keyword, but the body lacks "last" \(searched: the first \d+ kB\)$/);
  });
});
