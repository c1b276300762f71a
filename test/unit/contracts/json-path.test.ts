import { describe, expect, test } from 'vitest';
import { parseJsonPath, valueAt } from '../../../shared/json-path.ts';

describe('a path into JSON', () => {
  test.each<[string, (string | number)[]]>([
    ['$', []], ['$.a.b', ['a', 'b']], ['$["a"]', ['a']], ['$[\'a b\'][0][-1]', ['a b', 0, -1]],
    ['$ .a [ 0 ]', ['a', 0]], ['$.größe.日本', ['größe', '日本']], ['$._0', ['_0']],
    [String.raw`$["\"\\\/\b\f\n\r\t\u0041\ud83d\ude00'"]`, ['"\\/\b\f\n\r\tA😀\'']],
    [String.raw`$['\'"']`, ['\'"']], ['$[""]', ['']],
  ])('%s names %j', (text, path) => {
    expect(parseJsonPath(text)).toEqual(path);
  });

  test.each([
    '', 'a', '.a', '$.', '$a', '$.0', '$..a', '$.*', '$[*]', '$[0,1]', '$[1:2]', '$[?@.a]', '$["a","b"]', '$[01]',
    '$[-0]', '$[+1]', '$[a]', '$["a]', '$["a\n"]', String.raw`$["\x"]`, String.raw`$["\'"]`, '$[0', '$.a ', '$[1e2]',
    `$${'.a'.repeat(300)}`,
  ])('%j is none', (text) => {
    expect(parseJsonPath(text)).toEqual(expect.any(String));
  });

  test.each<[unknown, (string | number)[], unknown]>([
    [{ a: [1, { b: null }] }, ['a', 1, 'b'], null], [[1, 2], [-2], 1], ['x', [], 'x'], [{ '': 0 }, [''], 0],
    [JSON.parse('{"__proto__":1}'), ['__proto__'], 1],
  ])('in %j, %j leads to %j', (root, path, value) => {
    expect(valueAt(root, path)).toEqual({ found: true, value });
  });

  test.each<[unknown, (string | number)[]]>([
    [{}, ['toString']], [[1], ['length']], [[1], [1]], [[1], [-2]], [{ 0: 1 }, [0]], ['abc', [0]], [null, ['a']],
    [[1], ['0']],
  ])('in %j, %j leads nowhere', (root, path) => {
    expect(valueAt(root, path)).toEqual({ found: false, value: undefined });
  });
});
