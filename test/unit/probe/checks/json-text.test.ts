import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { findInJson } from '../../../../probe/checks/http/json-text.ts';
import { bundleFile } from '../../../bundle.mjs';

describe('a path into JSON text', () => {
  test.each<[string, (string | number)[], unknown]>([
    ['{"a":[1,{"b":null}]}', ['a', 1, 'b'], null], ['[1,2]', [-2], 1], ['[1,2,3]', [-1], 3], ['"x"', [], 'x'],
    ['{"":0}', [''], 0], ['{"__proto__":1}', ['__proto__'], 1], [' {"a" : 1.5e3 } \n', ['a'], 1500],
    ['{"a":{"b":1},"a":2}', ['a'], 2], ['{"\\u0061":[ ]}', ['a'], []], ['[[1],[2,3]]', [-1, 0], 2],
    ['{"a":{"a":7}}', ['a'], {}], ['"\\ud83d\\ude00\\n"', [], '😀\n'], ['[-0.5E-2]', [0], -0.005],
  ])('in %s, %j finds %j', (text, path, value) => {
    expect(findInJson(Buffer.from(text), path)).toEqual({ kind: 'found', value });
  });

  test.each<[string, (string | number)[]]>([
    ['{}', ['toString']], ['[1]', ['length']], ['[1]', [1]], ['[1]', [-2]], ['{"0":1}', [0]], ['"abc"', [0]],
    ['null', ['a']], ['[1]', ['0']], ['{"a":{"b":1},"a":{}}', ['a', 'b']], ['[{"a":1},{}]', [-1, 'a']],
  ])('in %s, %j finds nothing', (text, path) => {
    expect(findInJson(Buffer.from(text), path)).toEqual({ kind: 'absent' });
  });

  test.each([
    '{', '[1,]', '{"a":1,}', '{a:1}', "{'a':1}", '[01]', '[+1]', '[.5]', '[1.]', '[1e]', '[-]', '"\n"', '"\\x"',
    '"\\u12g4"', '"a', 'tru', 'truee', '[1 2]', '{"a" 1}', '{"a":1 "b":2}', '1 2', ']', '\u00a01', '\ufeff1',
  ])('%j is not JSON', (text) => {
    expect(findInJson(Buffer.from(text), [])).toEqual({ kind: 'other', what: 'text' });
  });

  test.each(['', ' \n\t'])('%j finds nothing', (text) => {
    expect(findInJson(Buffer.from(text), [])).toEqual({ kind: 'other', what: 'nothing' });
  });

  test('takes little memory for any text', async () => {
    const file = await bundleFile('probe/checks/http/json-text.ts');
    try {
      // As a tree, these would exceed the heap limit and end the thread.
      const code = `import(${JSON.stringify(pathToFileURL(file).href)}).then(({ findInJson }) => {
        const text = Buffer.from('[' + '{},'.repeat(2_000_000) + '7]');
        require('node:worker_threads').parentPort.postMessage(findInJson(text, [-1]));
      });`;
      const thread = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } });
      const [found] = await once(thread, 'message');
      expect(found).toEqual({ kind: 'found', value: 7 });
    } finally {
      rmSync(file, { force: true });
    }
  });
});
