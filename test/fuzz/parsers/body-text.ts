import assert from 'node:assert/strict';
import type * as BodyTextModule from '../../../probe/checks/http/body-text.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

const LABELS = [
  null, 'utf-8', 'utf-16le', 'utf-16be', 'iso-8859-1', 'shift_jis', 'iso-2022-jp', 'euc-kr', 'gb18030', 'big5',
  'koi8-r', 'windows-874',
];

function bomCharset(bytes: Buffer): string | undefined {
  const start = bytes.toString('hex', 0, 3);
  if (start === 'efbbbf') return 'utf-8';
  return start.startsWith('feff') ? 'utf-16be' : start.startsWith('fffe') ? 'utf-16le' : undefined;
}

/** Without `stream`, many Node versions decode Windows-1252 as Latin-1 (nodejs/node#56542). */
function decoded(bytes: Buffer, charset: string): string {
  const decoder = new TextDecoder(charset);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

/** UTF-8 can't represent lone surrogates. */
function inUtf8(text: string): string {
  return Buffer.from(text).toString();
}

/**
 * The text equals TextDecoder's output for the declared charset, contains its own parts, and everything found occurs in
 * it. A first line may be the Content-Type.
 */
export const bodyText = fuzzedParser<typeof BodyTextModule>({
  name: 'body-text', entry: 'probe/checks/http/body-text.ts',
  seeds: [
    'text/html; charset=utf-8\nGr\xc3\xbc\xc3\x9fe, \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e! \xf0\x9f\x98\x80',
    'text/html; charset="ISO-8859-1"; x=y\nGr\xfc\xdfe', 'a;charset=utf-16\n\xff\xfea\0b\0\x3d\xd8\x00\xde',
    '\n\xfe\xff\0a\0b', '\n\xef\xbb\xbfabc', '\n<meta charset=shift_jis>\x93\xfa\x96\x7b\x8c\xea',
    '\n<META http-equiv="Content-Type" content="text/html; charset = \'gb18030\'">\xd6\xd0\xce\xc4',
    'x\n\x1b$B4A;z\x1b(B', `x; charset=${' '.repeat(300)}"\n${'<meta'.repeat(20)} charset=${' '.repeat(300)}`,
    `text/plain\n${'\xc3\xa4'.repeat(20_000)}`, `;charset=utf-16be\n${'\xd8\x3d\xde\0'.repeat(10_000)}x`,
  ],
  feed: ({ BodyText }, input, random) => {
    const end = Math.max(0, input.indexOf(10));
    const label = random.pick(LABELS);
    const isNamed = random.chance(0.5) && label !== null;
    const bytes = Buffer.from(input.subarray(end));
    const text = new BodyText(bytes, isNamed ? `text/html; charset=${label}` : input.toString('latin1', 0, end));
    const whole = text.utf8.toString();
    if (isNamed) assert.equal(whole, inUtf8(decoded(bytes, bomCharset(bytes) ?? label)));
    assert.ok(whole.startsWith(inUtf8(text.start).slice(0, -1)));
    const from = random.int(0, whole.length);
    const part = whole.slice(from, from + random.int(1, 60));
    const other = bytes.toString('latin1', 0, 3);
    const sought = [part, other].filter((one) => one !== '' && one === inUtf8(one) && !one.includes('\ufffd'));
    const found = text.find(sought);
    for (const one of sought) assert.equal(found.has(one), whole.includes(one));
  },
});
