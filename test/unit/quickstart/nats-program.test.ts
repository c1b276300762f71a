import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findNatsServer, isVersionAtLeast } from '../../../deploy/quickstart/nats-program.ts';

test.each([
  ['2.9.10', '2.10.27', false],
  ['2.10.27', '2.10.27', true],
  ['2.10.27-beta.1', '2.10.27', true],
  ['2.10.26', '2.10.27', false],
  ['2.11.0', '2.10.27', true],
  ['3.0', '2.10.27', true],
  ['2.10', '2.10.27', false],
  ['1.26.8', '1.21.0', true],
  ['1.9', '1.21.0', false],
])('%s is at least %s: %s', (version, wanted, expected) => {
  expect(isVersionAtLeast(version, wanted)).toBe(expected);
});

describe('finding a server', () => {
  let dir = '';
  const program = (name: string, output: string) => {
    const path = join(dir, name);
    writeFileSync(path, `#!/bin/sh\necho '${output}'\n`);
    chmodSync(path, 0o755);
    return path;
  };
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'farwatch-path-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  test('the one on the PATH is taken as it is', async () => {
    const path = program('nats-server', 'nats-server: v2.9.10');
    const said: string[] = [];
    const found = await findNatsServer({ env: { PATH: `${dir}:/bin` }, atLeast: null, say: (line) => said.push(line) });
    expect(found).toEqual({ path, version: '2.9.10' });
    expect(said).toEqual([]);
  });

  test('a file of that name that is not one is passed over', async () => {
    program('nats-server', 'hello');
    const newer = mkdtempSync(join(tmpdir(), 'farwatch-path-'));
    writeFileSync(join(newer, 'nats-server'), '#!/bin/sh\necho nats-server: v2.12.1\n', { mode: 0o755 });
    const found = await findNatsServer({ env: { PATH: `${dir}:${newer}:/bin` }, atLeast: '2.10.27', say: () => undefined });
    expect(found.version).toBe('2.12.1');
    rmSync(newer, { recursive: true });
  });

  test('when none is new enough and Go is too old, the message says both and what to do', async () => {
    program('nats-server', 'nats-server: v2.9.10');
    program('go', 'go version go1.19.8 linux/amd64');
    const finding = findNatsServer({ env: { PATH: `${dir}:/bin`, GOBIN: dir }, atLeast: '99.0.0', say: () => undefined });
    await expect(finding).rejects.toThrow(/Farwatch needs nats-server 99\.0\.0 or newer.*\n {2}- Go 1\.19\.8 is too old: 1\.21\.0 or newer is needed\nInstall it .*\n.*NATS_URL/);
  });
});
