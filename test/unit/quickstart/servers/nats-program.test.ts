import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findNatsServer, installByApt, meetsMinVersion } from '../../../../deploy/quickstart/servers/nats-program.ts';

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
])('%s is at least %s: %s', (version, minVersion, expected) => {
  expect(meetsMinVersion(version, minVersion)).toBe(expected);
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

  test('uses the one on the PATH', async () => {
    const path = program('nats-server', 'nats-server: v2.9.10');
    const lines: string[] = [];
    const found =
      await findNatsServer({ env: { PATH: `${dir}:/bin` }, minVersion: null, say: (line) => lines.push(line) });
    expect(found).toEqual({ path, version: '2.9.10' });
    expect(lines).toEqual([]);
  });

  test('ignores a file of that name that is not a server', async () => {
    program('nats-server', 'hello');
    const newer = mkdtempSync(join(tmpdir(), 'farwatch-path-'));
    writeFileSync(join(newer, 'nats-server'), '#!/bin/sh\necho nats-server: v2.12.1\n', { mode: 0o755 });
    const found = await findNatsServer({
      env: { PATH: `${dir}:${newer}:/bin` }, minVersion: '2.10.27', say: () => undefined,
    });
    expect(found.version).toBe('2.12.1');
    rmSync(newer, { recursive: true });
  });

  test.skipIf(
    !existsSync('/etc/debian_version'),
  )('updates the package list when the package is not available at first', async () => {
    const script = (name: string, text: string) =>
      writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    script('sudo', 'shift; exec "$@"');
    script('apt-get', [
      `echo "$*" >> ${dir}/calls`,
      'case "$*" in',
      `  *update*) touch ${dir}/updated ;;`,
      `  *install*) test -f ${dir}/updated || { echo "E: Unable to locate package nats-server" >&2; exit 100; }`,
      `    printf '#!/bin/sh\\necho nats-server: v99.1.0\\n' > ${dir}/nats-server; chmod +x ${dir}/nats-server ;;`,
      'esac',
    ].join('\n'));
    const lines: string[] = [];
    await installByApt({ env: { PATH: `${dir}:/usr/bin:/bin` }, say: (line) => lines.push(line) });
    const calls =
      readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n').map((call) => call.replace(/^-o \S+ /, ''));
    expect(calls).toEqual([
      'install -y --no-install-recommends nats-server', 'update',
      'install -y --no-install-recommends nats-server',
    ]);
    expect(lines).toEqual(['Installing nats-server (apt-get install nats-server)']);
    const found =
      await findNatsServer({ env: { PATH: `${dir}:/bin` }, minVersion: '99.0.0', say: () => undefined });
    expect(found.version).toBe('99.1.0');
  });

  test('reports both that no server is new enough and that Go is too old, and what to do', async () => {
    program('nats-server', 'nats-server: v2.9.10');
    program('go', 'go version go1.19.8 linux/amd64');
    const finding =
      findNatsServer({ env: { PATH: `${dir}:/bin`, GOBIN: dir }, minVersion: '99.0.0', say: () => undefined });
    await expect(finding).rejects.toThrow(
      /Farwatch needs nats-server 99\.0\.0 or newer.*\n {2}- Go 1\.19\.8 is too old: 1\.21\.0 or newer is needed\nInstall it .*NATS_URL/,
    );
  });
});
