import { expect, test } from 'vitest';
import { parsedUrl } from '../../../shared/net-guard.ts';

test('a text is a URL if `new URL` accepts it, even after Node has optimized its parser', () => {
  // A UTF-8 host as in a header: one character per byte, the second one a control character.
  const odd = Buffer.from('http://盱.test/').toString('latin1');
  for (let at = 0; at < 20_000; at += 1) {
    expect(parsedUrl(`/${at}`, 'http://a.test/x')?.href).toBe(`http://a.test/${at}`);
    if (at % 100 === 0) expect([parsedUrl(odd), parsedUrl(odd, 'http://a.test/')]).toEqual([null, null]);
  }
});
