import assert from 'node:assert/strict';
import type * as JsonText from '../../../probe/checks/http/json-text.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

const PATHS = [[], ['a'], ['a', 'b'], [0], [-1], [-2, 'a'], ['a', -1]];

/** Accepts exactly what `JSON.parse` accepts, up to the maximum depth. */
export const jsonText = fuzzedParser<typeof JsonText>({
  name: 'json-text', entry: 'probe/checks/http/json-text.ts',
  seeds: [
    '{"a":{"b":[1,-2.5e3,true,null]},"a":7}', '[[{"a":"\\u0061\\n"}],{"a":[ ]}]', ' [0,"x",{}] ', '"text"', '[1,[2,[3]]]',
    '{"\\u0061":{"b":"\\"}"}}',
  ],
  feed: ({ findInJson }, bytes, random) => {
    const text = Buffer.from(bytes.toString('latin1'));
    const path = random.pick(PATHS);
    const outcome = findInJson(text, path);
    let value: unknown;
    try {
      value = JSON.parse(text.toString());
    } catch {
      return assert.equal(outcome.kind, 'other');
    }
    if (outcome.kind === 'other') return assert.equal(outcome.what, 'deep');
    for (const key of path) {
      const at = typeof key === 'number' && key < 0 && Array.isArray(value) ? key + value.length : key;
      const isInner = typeof value === 'object' && value !== null && Array.isArray(value) === (typeof key === 'number');
      value = isInner && Object.hasOwn(value as object, at) ? (value as Record<string | number, unknown>)[at] : undefined;
    }
    if (value === undefined) return assert.equal(outcome.kind, 'absent');
    assert.equal(outcome.kind, 'found');
    if (typeof value !== 'object' || value === null) assert.deepEqual(outcome, { kind: 'found', value });
  },
});
