import { describe, expect, test } from 'vitest';
import { parseJsonPath } from '../../../shared/json-path.ts';

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
  ])('%j is invalid', (text) => {
    expect(parseJsonPath(text)).toEqual(expect.any(String));
  });
});
