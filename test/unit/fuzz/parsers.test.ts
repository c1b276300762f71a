import { describe, expect, test } from 'vitest';
import { fuzzedParser } from '../../fuzz/parsers/fuzzed-parser.ts';
import { FUZZED_PARSERS } from '../../fuzz/parsers/registry.ts';
import { runParserFuzz } from '../../fuzz/parsers/run-parser-fuzz.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';
import type * as BadParsers from './bad-parsers.ts';

const entry = 'test/unit/fuzz/bad-parsers.ts';
/** Per parser; `npm run fuzz -- --parsers` runs more. */
const INPUTS = fewOrAll(40, 100);
const silent = (): void => undefined;

describe('parsers of external input', () => {
  test.each(FUZZED_PARSERS)('$name survives hostile input in bounded steps', async (parser) => {
    expect(await runParserFuzz(parser, { seed: 1, inputs: INPUTS }, silent)).toEqual([]);
  });
});

describe('the parser fuzzer', () => {
  test('reports a parser that throws, with its input', async () => {
    const parser = fuzzedParser<typeof BadParsers>({
      name: 'throwing', entry, seeds: ['abc'], feed: (exports, bytes) => exports.throwsOnPointer(bytes),
    });
    const [fault = ''] = await runParserFuzz(parser, { seed: 1, inputs: INPUTS }, silent);
    expect(fault).toMatch(/^throwing, input \d+: RangeError: pointer\n/);
    expect(Buffer.from(fault.split('\n')[1] as string, 'base64').includes(0xc0)).toBe(true);
  });

  test('reports a parser whose steps grow faster than its input', async () => {
    const parser = fuzzedParser<typeof BadParsers>({
      name: 'quadratic', entry, seeds: ['abc', 'a'.repeat(5000)],
      feed: (exports, bytes) => void exports.isQuadratic(bytes),
    });
    const faults = await runParserFuzz(parser, { seed: 1, inputs: 2 }, silent);
    expect(faults).toEqual([expect.stringMatching(/^quadratic, input 2: \d+ steps for 5000 bytes, over/)]);
  });

  test('reports a parser whose steps it cannot count', async () => {
    const parser = fuzzedParser<typeof BadParsers>({ name: 'absent', entry, seeds: ['a'], feed: silent });
    expect(await runParserFuzz(parser, { seed: 1, inputs: 10 }, silent)).toHaveLength(1);
  });
});
