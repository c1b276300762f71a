import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../../controller/errors/app-error.ts';
import { parseStrictJson, parseStrictJsonInTurns } from '../../../../controller/http/body/strict-json.ts';
import { StepCounter } from '../../../helpers/step-counter.ts';

const refusal = (text: string): string => {
  try {
    return `accepted: ${JSON.stringify(parseStrictJson(text))}`;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
};
const reserved = new Set(['__proto__', 'constructor', 'prototype']);

describe('strict JSON', () => {
  test('parses like JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const isPlain = ![...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].some(([quoted]) => {
          const string = JSON.parse(quoted) as string;
          return string.includes('\0') || reserved.has(string) || /\p{Surrogate}/u.test(string);
        });
        if (isPlain) expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['{"a":{"b":1,"c":[{"b":2}]},"b":3}', { a: { b: 1, c: [{ b: 2 }] }, b: 3 }],
    ['["a","a",{"a":"a"}]', ['a', 'a', { a: 'a' }]],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', { a: '{"b":1,"b":2}' }],
    ['{"a":"[[[["}', { a: '[[[[' }],
    ['{"\\"":1,"\\\\":2}', { '"': 1, '\\': 2 }],
    ['  [1e308, -0, 1E-400]\n', [1e308, -0, 0]],
    ['"__proto__"', '__proto__'],
    ['["constructor"]', ['constructor']],
    ['"\\ud83d\\ude00"', '\u{1f600}'],
    [`${'['.repeat(64)}${']'.repeat(64)}`, JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`)],
  ])('accepts %s', (text, value) => {
    expect(parseStrictJson(text)).toEqual(value);
  });

  test.each([
    '', ' ', '{', '{"a"}', '[1,]', '{"a":1,}', '01', '+1', '.5', 'nul', "'a'", '"\t"', '"\\x41"', '"abc',
    '"abc\\', '\u00a0{}', '{}x', '1 2',
    '{"a":1,"a":1}', '{"a":{"b":1,"b":2}}', '[{"x":1,"y":2,"x":3}]', '{"a":1,"\\u0061":2}', '{"":1,"":2}',
    '{"__proto__":1}', '{"a":{"prototype":1}}', '[{"constructor":1}]',
    '1e309', '[-1e999]', '{"a":1e400}', '"\\ud800"', '"\\udc00"', '"\\udc00\\ud800"', '{"\\ud800":1}',
    '"\\u0000"',
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, 0]))),
    `${'['.repeat(65)}${']'.repeat(65)}`, `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
  ])('%#: text that JSON.parse may accept is JSON_PARSE_ERROR', (text) => {
    expect(refusal(text)).toBe('JSON_PARSE_ERROR');
  });

});

describe('parsing a megabyte takes linear time', () => {
  /** The most expensive text is a key with its brackets, colon and comma. */
  const MAX_STEPS_PER_CHAR = 8;
  let counter: StepCounter<{ parseStrictJson(text: string): unknown }>;
  beforeAll(async () => {
    counter = await StepCounter.load('controller/http/body/strict-json.ts');
  });
  afterAll(() => counter.stop());

  test('for accepted rows', async () => {
    const row = (id: number) => ({ id, name: 'x'.repeat(20), more: [1.5e10, true, null] });
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => row(id)));
    expect(text.length).toBeGreaterThan(1_000_000);
    const steps = await counter.count(() => void counter.exports.parseStrictJson(text));
    expect(steps).toBeGreaterThan(text.length);
    expect(steps).toBeLessThan(MAX_STEPS_PER_CHAR * text.length);
  });

  test.each<[string, string]>([
    ['arrays in arrays', '['.repeat(1_000_000)],
    ['objects in objects', '{"a":'.repeat(200_000)],
    ['one number', '9'.repeat(1_000_000)],
    ['white space', `${' '.repeat(1_000_000)}x`],
    ['escapes', `"${'\\u0061'.repeat(160_000)}`],
    ['backslashes', `"${'\\\\'.repeat(500_000)}`],
    ['surrogate pairs and a lone surrogate', `"${'\\ud83d\\ude00'.repeat(80_000)}\\ud83d"`],
    ['quotes', '"'.repeat(1_000_000)],
    ['identical keys', `{${'"a":1,'.repeat(150_000)}"a":1}`],
  ])('for %s, which is rejected', async (_what, text) => {
    const steps = await counter.count(
      () => expect(() => counter.exports.parseStrictJson(text)).toThrow(/^Request body/),
    );
    expect(steps).toBeGreaterThan(0);
    expect(steps).toBeLessThan(MAX_STEPS_PER_CHAR * text.length);
  });
});

test('parsing megabytes yields to other requests and returns the same result', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const items = Array.from({ length: 60_000 }, (_, at) => ({ name: `monitor ${at}`, at }));
  expect(await parseStrictJsonInTurns(JSON.stringify(items))).toEqual(items);
  isOver = true;
  expect(turns).toBeGreaterThan(20);
  await expect(parseStrictJsonInTurns(`[${'1,'.repeat(400_000)}{"a":1,"a":2}]`)).rejects.toMatchObject({
    code: 'JSON_PARSE_ERROR',
  });
});
