import { describe, expect, test } from 'vitest';
import { BodyText } from '../../../../probe/checks/http/body-text.ts';

const lower = (text: string): string => text.toLowerCase();

describe('the text of a long body', () => {
  test.each<[string, BufferEncoding, string | null]>([
    ['UTF-8', 'utf8', null], ['UTF-8 by its header', 'utf8', 'text/html; charset=utf-8'],
    ['Latin-1', 'latin1', 'text/html; charset=iso-8859-1'], ['UTF-16', 'utf16le', 'text/html; charset=utf-16le'],
  ])('in %s is searched as if it were one string', (_name, encoding, contentType) => {
    const filler = encoding === 'latin1' ? 'aÄ' : 'aÄ€😀';
    for (let shift = 0; shift < 40; shift += 1) {
      const whole = `${'x'.repeat(shift)}${filler.repeat(9000)}needle${filler.repeat(9000)}`;
      const text = new BodyText(Buffer.from(whole, encoding), contentType);
      const wanted = [`needle${filler}`, `${filler}needle`, `needle${filler.repeat(70)}`, 'needles'];
      expect([...text.find(wanted)]).toEqual(wanted.slice(0, 3));
      expect([...text.find(wanted.map(lower), lower)]).toEqual(wanted.slice(0, 3).map(lower));
    }
  });

  test('is lower-cased by whole words', () => {
    for (let shift = 0; shift < 24; shift += 1) {
      const text = new BodyText(Buffer.from(`${'x'.repeat(32_750 + shift)} ΟΔΟΣ ΟΔΟΣΤΡΩΜΑ ΟΔΟΣ`), null);
      expect([...text.find(['οδος ', 'οδοστρωμα', 'οδοσ '], lower)].sort()).toEqual(['οδος ', 'οδοστρωμα']);
    }
  });

  test('is lower-cased by whole words at its end, too', () => {
    for (let blanks = 0; blanks < 24; blanks += 1) {
      const end = `ΟΔΟΣ${' '.repeat(blanks)}`;
      for (const start of ['', 'x'.repeat(32_760)]) {
        expect([...new BodyText(Buffer.from(start + end), null).find(['σ', 'ς'], lower)]).toEqual(['ς']);
      }
    }
  });

  test('starts with more than evidence shows of it', () => {
    const text = new BodyText(Buffer.from('😀'.repeat(100_000)), null);
    expect(text.start.slice(0, 4096)).toBe('😀'.repeat(2048));
    expect(new BodyText(Buffer.from('\ufeffabc'), null).start).toBe('abc');
  });

  test('in another charset becomes UTF-8', () => {
    expect(new BodyText(Buffer.from('\ufeff{"ä":1}', 'utf16le'), null).utf8.toString()).toBe('{"ä":1}');
    expect(new BodyText(Buffer.from('{"ä":1}', 'latin1'), null).utf8.toString()).toBe('{"ä":1}');
  });

  // Would take minutes in quadratic time.
  test('with a charset after endless space is read in linear time', () => {
    const type = `text/html; charset=${' '.repeat(1_000_000)};`;
    expect(new BodyText(Buffer.from('Größe', 'latin1'), type).start).toBe('Größe');
    expect(new BodyText(Buffer.from('\x80', 'latin1'), `x; charset = "${' '.repeat(1_000_000)}latin1"`).start).toBe('€');
  });
});
