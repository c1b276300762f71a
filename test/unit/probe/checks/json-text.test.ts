import { describe, expect, test } from 'vitest';
import { parseJsonText, valueAt } from '../../../../probe/checks/http/json-text.ts';

describe('a path into JSON text', () => {
  test.each<[string, (string | number)[], unknown]>([
    ['{"a":[1,{"b":null}]}', ['a', 1, 'b'], null], ['[1,2]', [-2], 1], ['[1,2,3]', [-1], 3], ['"x"', [], 'x'],
    ['{"":0}', [''], 0], ['{"__proto__":1}', ['__proto__'], 1], [' {"a" : 1.5e3 } \n', ['a'], 1500],
    ['{"a":{"b":1},"a":2}', ['a'], 2], ['[[1],[2,3]]', [-1, 0], 2],
    ['{}', ['toString'], undefined], ['[1]', ['length'], undefined], ['[1]', [1], undefined],
    ['[1]', [-2], undefined], ['{"0":1}', [0], undefined], ['"abc"', [0], undefined], ['null', ['a'], undefined],
    ['[1]', ['0'], undefined], ['{"a":{"b":1},"a":{}}', ['a', 'b'], undefined], ['1', ['a'], undefined],
  ])('in %s, %j finds %j', (text, path, value) => {
    const json = parseJsonText(Buffer.from(text));
    expect('value' in json ? valueAt(json.value, path) : json).toEqual(value);
  });

  test.each([
    ['', 'nothing'], [' \n\t', 'nothing'], ['{', 'text'], ['\u00a0', 'text'], ['\ufeff1', 'text'],
    [`[${' '.repeat(262_143)}]`, 'large'],
  ])('%j is not JSON', (text, instead) => {
    expect(parseJsonText(Buffer.from(text))).toEqual({ instead });
  });
});
