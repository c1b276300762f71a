import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unescapeBytes } from '../../../controller/monitors/settings/escaped-bytes.ts';
import {
  hasPlaceholder, replaceInEscaped, replacePlaceholders, withoutPlaceholders,
} from '../../../controller/monitors/settings/placeholders.ts';

const valueOf = (name: string): string => `<${name}>`;

describe('a text with placeholders', () => {
  test.each([
    ['{{a}}', '<a>'],
    ['https://{{host}}/{{a_1}}?q={{q}}', 'https://<host>/<a_1>?q=<q>'],
    ['{"a":{{{object}}}}', '{"a":{<object>}}'],
    ['\\{{a}}', '{{a}}'],
    ['\\{{{{a}}', '{{<a>'],
    ['C:\\{a} {b} }} {{ {{}} {{ }} {{"a":1}}', 'C:\\{a} {b} }} {{ {{}} {{ }} {{"a":1}}'],
    ['{{A}} {{ a }} {{a.b-c}}', '<A> < a > <a.b-c>'],
  ])('%s becomes %s', (text, expected) => {
    expect(replacePlaceholders(text, valueOf)).toBe(expected);
  });

  test('in which backslashes escape gets the value byte for byte', () => {
    const sent = (text: string, value: string) =>
      Buffer.from(unescapeBytes(replaceInEscaped(text, () => value)), 'latin1').toString();
    expect(sent('AUTH {{token}}\\r\\n', 'a\\rb\\x41\r\n"ü\u0085')).toBe('AUTH a\\rb\\x41\r\n"ü\u0085\r\n');
    expect(sent('\\{{token}} \\\\{{token}} \\x7b{{token}}', 'v')).toBe('{{token}} \\v {v');
  });
});

test('any text of another tool is sent as it is, once it is made a literal', () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('{', '}', '\\', 'a', ' ') }), (text) => {
    const literal = withoutPlaceholders(text);
    expect(replacePlaceholders(literal, () => 'value')).toBe(text);
    expect(hasPlaceholder(text) || literal === text).toBe(true);
  }));
});
