import assert from 'node:assert/strict';
import type { Assertion, KeywordSpec } from '../../../shared/contracts/check-spec.ts';
import type { Random } from '../../simulation/random.ts';
import type * as ContentEntry from './content-entry.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

const ENTRY = 'test/fuzz/parsers/content-entry.ts';
const MAX_MESSAGE_LENGTH = 1500;

const BASE: Omit<KeywordSpec, 'keywords' | 'match_mode' | 'case_sensitive'> = {
  type: 'KEYWORD', url: 'http://a.test/', method: 'GET', headers: {}, body: null, follow_redirects: false,
  max_redirects: 0, verify_ssl: true, expected_status: [], slow_response_threshold_ms: null,
};

function head(text: string) {
  return {
    status: 200, location: null, contentLength: null, lengthProblem: null, chunked: false, encodings: [], comparedHash: 0, text,
  };
}

/** A part of the text, or something that may not occur in it. */
function snippetOf(text: string, random: Random): string {
  const from = random.int(0, text.length);
  const part = text.slice(from, from + random.int(1, 30));
  return part === '' || random.chance(0.3) ? random.pick(['x', 'ß', 'İ', 'é', 'e\u0301', 'ok', '<', '\0']) : part;
}

/** A keyword is found if and only if the text contains it, literally or in lower case. */
export const keywords = fuzzedParser<typeof ContentEntry>({
  name: 'keywords', entry: ENTRY,
  seeds: [
    'All systems ok. Größe, ΣΑΣ, İstanbul, e\u0301t\u00e9, ﬁ', '<p>Error</p>\n'.repeat(30), `${'a'.repeat(5000)}b`,
    '\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab', '\u0130\u0307\u0307Σ Σ.', `${'e\u0301\u0302\u0323'.repeat(300)}`,
  ].map((text) => Buffer.from(text)),
  feed: ({ BodyText, KeywordRule }, bytes, random) => {
    const page = new TextDecoder().decode(bytes);
    const text = new BodyText(Buffer.from(page), 'text/plain; charset=utf-8');
    const [isCaseSensitive, should] = [random.chance(0.5), random.chance(0.5)];
    const keyword = { text: snippetOf(page, random), should_contain: should };
    const spec: KeywordSpec = { ...BASE, keywords: [keyword], match_mode: 'all', case_sensitive: isCaseSensitive };
    const problem = new KeywordRule(spec).problem({ head: head(''), text, part: null });
    assert.ok(problem === null || problem.length <= MAX_MESSAGE_LENGTH);
    const fold = (one: string): string => (isCaseSensitive ? one : one.toLowerCase());
    const forms = [fold(keyword.text), fold(keyword.text).normalize('NFC'), fold(keyword.text).normalize('NFD')];
    assert.equal(problem === null, forms.some((form) => fold(page).includes(form)) === should);
  },
});

const PROPERTIES = {
  header: ['x-left', 'content-type', 'set-cookie', 'absent'], body: [undefined],
  json: ['$', '$.a', '$.a[0]', '$.a[-1].b', '$[\'a\'].b', '$.__proto__', '$.length'],
};
const COMPARISONS = [
  'equals', 'not_equals', 'contains', 'not_contains', 'greater_than', 'less_than', 'exists', 'absent',
] as const;

/** An assertion and its opposite never both hold, and messages are short. */
export const assertions = fuzzedParser<typeof ContentEntry>({
  name: 'assertions', entry: ENTRY,
  seeds: [
    'X-Left: 41\r\nContent-Type: application/json\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n{"a":[1,{"b":"x"}]}',
    'x-left: -1.5e3\n\n{"a":{"b":1e999}}', 'x-left:0x10\r\n\r\n{"a":{"b":"1.10"},"length":3}', '\r\n\r\n[[[[1]]]]',
    'x-left: \r\n\r\n', `x-left: ${'9'.repeat(400)}\r\n\r\n{"a":${'9'.repeat(400)}}`, '\r\n\r\n{"a":"\\ud800\\u0000\u001b[31m"}',
  ],
  feed: ({ AssertionRule, BodyText }, bytes, random) => {
    const all = bytes.toString('latin1');
    const end = all.indexOf('\r\n\r\n') + 4;
    const content = {
      head: head(`HTTP/1.1 200 OK\r\n${all.slice(0, end)}`), text: new BodyText(bytes.subarray(end), null), part: null,
    };
    const source = random.pick(['header', 'json', 'body'] as const);
    const property = random.pick(PROPERTIES[source]);
    const target = snippetOf(all, random);
    const holds = COMPARISONS.filter((comparison) => {
      const assertion: Assertion = { source, comparison, target, ...(property === undefined ? {} : { property }) };
      const problem = new AssertionRule([assertion]).problem(content);
      assert.ok(problem === null || problem.length <= MAX_MESSAGE_LENGTH);
      return problem === null;
    });
    const has = (one: (typeof COMPARISONS)[number]): boolean => holds.includes(one);
    for (const [one, opposite] of [
      ['equals', 'not_equals'], ['contains', 'not_contains'], ['greater_than', 'less_than'], ['exists', 'absent'],
    ] as const) assert.ok(!has(one) || !has(opposite));
    if (has('absent')) assert.deepEqual(holds, ['absent']);
    if (has('contains') || has('equals') || has('greater_than')) assert.ok(has('exists'));
  },
});

/** The linear search finds the same matches as the engine's search. */
export const literalSearch = fuzzedParser<typeof ContentEntry>({
  name: 'literal-search', entry: ENTRY,
  seeds: ['aabaabaaab\naab', 'abababab\nabab', `${'a'.repeat(3000)}b\n${'a'.repeat(200)}b`, 'x\n', '\ny', 'aaaa\na'],
  feed: ({ containsText, eachMatch }, bytes, random) => {
    const [first = '', second = ''] = bytes.toString('latin1').split('\n', 2);
    const letters = (text: string): string => (
      random.chance(0.5) ? text.replace(/[^]/g, (one) => (one.charCodeAt(0) & 1 ? 'a' : 'b')) : text
    );
    const [text, wanted] = [letters(first), letters(second).slice(0, 300) || 'a'];
    const found: number[] = [];
    const matched = eachMatch(text, wanted, (end) => found.push(end) < 0);
    const ends: number[] = [];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) ends.push(at + wanted.length);
    assert.deepEqual(found, ends);
    assert.ok(text.endsWith(wanted.slice(0, matched)));
    assert.equal(containsText(text, wanted), ends.length > 0);
    assert.equal(eachMatch(text, wanted, () => true) === wanted.length, ends.length > 0);
  },
});
