import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { excerptText } from '../../../../probe/checks/http/excerpt-text.ts';

const PAGE = Array.from({ length: 3000 }, (_, at) => `<li>Größe ${at * 7919}</li>`).join('\n');
const headOf = (...lines: string[]): string => `HTTP/1.1 503 Busy\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const start = (bytes: Buffer): string => bytes.toString('latin1', 0, 4096);

describe('a body excerpt', () => {
  test.each([
    ['gzip', gzipSync(PAGE)], ['x-gzip', gzipSync(PAGE)], ['deflate', deflateSync(PAGE)],
    ['deflate', deflateRawSync(PAGE)], ['br', brotliCompressSync(PAGE)], ['Identity', Buffer.from(PAGE)],
  ])('is readable although sent as %s and truncated', (encoding, bytes) => {
    const text = excerptText(headOf(`Content-Encoding: ${encoding}`), start(bytes)) as string;
    expect(text.length).toBeGreaterThan(3700);
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(PAGE.startsWith(text)).toBe(true);
  });

  test('is decoded in the charset of its head', () => {
    const bytes = Buffer.from('Größe', 'latin1').toString('latin1');
    expect(excerptText(headOf('Content-Type: text/html; charset=iso-8859-1'), bytes)).toBe('Größe');
    expect(excerptText('', Buffer.from('Größe').toString('latin1'))).toBe('Größe');
    expect(excerptText('', '')).toBe('');
  });

  test.each([
    ['is not in its encoding', 'gzip', Buffer.from('plain')],
    ['has an unknown encoding', 'zip', Buffer.from('plain')],
    ['is a bomb', 'gzip', gzipSync(Buffer.alloc(4_000_000))],
    ['is another bomb', 'br', brotliCompressSync(Buffer.alloc(4_000_000))],
  ])('is not shown if it %s', (_, encoding, bytes) => {
    expect(excerptText(headOf(`Content-Encoding: ${encoding}`), start(bytes))).toBeNull();
  });
});
