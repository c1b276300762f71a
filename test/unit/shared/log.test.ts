import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../bundle.mjs';

const SOURCE = `
  import { createLog } from './shared/log.ts';
  const log = createLog('test', 'debug');
  const secret = 'CANARY';
  for (const field of ['password', 'token', 'secret', 'seed', 'key', 'authorization', 'cookie', 'headers', 'body']) {
    log.info({ [field]: secret, shown: 'plain' }, 'direct');
    log.info({ monitor: { [field]: secret } }, 'one deep');
    log.info({ request: { inner: { [field]: { nested: secret } } } }, 'two deep');
  }
  log.debug({ err: new Error('told') }, 'an error');
  log.trace('too fine');
`;

describe('the log', () => {
  let folder: string;
  let lines: Record<string, unknown>[];
  let output: string;

  beforeAll(async () => {
    const root = resolve(import.meta.dirname, '../../..');
    folder = await mkdtemp(join(root, 'node_modules/.farwatch-log-'));
    const outfile = join(folder, 'log.mjs');
    await bundle({ stdin: { contents: SOURCE, resolveDir: root, loader: 'ts' }, outfile });
    ({ stdout: output } = await promisify(execFile)(process.execPath, [outfile]));
    lines = output.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('never shows values of secret fields', () => {
    expect(output).not.toContain('CANARY');
    expect(output.match(/\[redacted\]/g)).toHaveLength(27);
    expect(lines[0]).toMatchObject({ msg: 'direct', shown: 'plain', name: 'test' });
  });

  test('shows errors with their stack, and nothing below its level', () => {
    expect(lines.at(-1)).toMatchObject({
      msg: 'an error', err: { message: 'told', stack: expect.stringContaining('Error: told') as string },
    });
    expect(lines).toHaveLength(28);
  });
});
