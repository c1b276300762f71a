import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loginInput } from '../../../../controller/accounts/schema.ts';
import { requiredMultilineText, singleLineText, multilineText } from '../../../../controller/http/input/validation.ts';

const BLANK = ' \t\n\u000b\u000c\r\u00a0\u2028\ufeff';
const padded = (text: string) => `${BLANK}${text}${BLANK.repeat(20)}`;

describe.each([
  ['a name', singleLineText(100)], ['a text', multilineText(100)], ['a message', requiredMultilineText(100)],
])('%s', (_what, schema) => {
  test('is trimmed before its length and characters are validated', () => {
    for (const text of ['x', '𝒳'.repeat(100), 'a b']) expect(schema.parse(padded(text))).toBe(text);
    for (const text of ['x'.repeat(101), '\u0007', 'a\u0007b', '\u0000']) {
      expect(schema.safeParse(padded(text)).success, JSON.stringify(text)).toBe(false);
    }
  });

  test('has a pattern in the API document that accepts padding', () => {
    const pattern = new RegExp(z.toJSONSchema(schema, { io: 'input' }).pattern as string, 'u');
    for (const text of ['x', 'a b', '𝒳', 'a\u0007b', '', '\u0007']) {
      expect(pattern.test(padded(text)), JSON.stringify(text)).toBe(schema.safeParse(padded(text)).success);
    }
  });
});

test('a name needs a visible character and has no line break', () => {
  for (const text of ['a\nb', '', BLANK]) expect(singleLineText(100).safeParse(text).success).toBe(false);
});

test('an email address is trimmed before its length is validated', () => {
  const { email } = loginInput.parse({ email: `${' '.repeat(300)}Ada@Example.com\n`, password: 'x' });
  expect(email).toBe('ada@example.com');
});
