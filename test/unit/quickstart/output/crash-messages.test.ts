import { expect, test } from 'vitest';
import { crashMessages } from '../../../../deploy/quickstart/output/log-entry.ts';

test('logged errors come first, each once', () => {
  const error = JSON.stringify({ level: 50, msg: 'the directory is in use' });
  expect(crashMessages([
    '{"level":30,"msg":"starting"}', error, error, '{"level":"error","msg":"giving up"}',
    '{"level":30,"msg":"bye"}',
  ]))
    .toEqual([
    'the directory is in use',
    'giving up',
  ]);
});

test('an uncaught error is shown by its first line, without its stack', () => {
  const dump = [
    'file:///app/main.mjs:7', '  throw error;', '  ^', '',
    'MongoServerSelectionError: connect ECONNREFUSED 127.0.0.1:1', '    at Topology.select (topology.js:1:1)',
    '  [cause]: Error: x', 'Node.js v20.20.2',
  ];
  expect(crashMessages(dump)).toEqual(['MongoServerSelectionError: connect ECONNREFUSED 127.0.0.1:1']);
});

test('without an error, the last lines are shown', () => {
  expect(crashMessages(['1', '2', '3', '4', '5', '6'])).toEqual(['2', '3', '4', '5', '6']);
  expect(crashMessages([])).toEqual([]);
});
