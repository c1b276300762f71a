import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { main } from '../../../deploy/command/main.ts';
import { COMMANDS } from '../../../deploy/command/registry.ts';

/** Runs a command that ends by itself. */
async function farwatch(...argv: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const exitCode = await main({
    argv, env: {}, version: '1.2.3', bundles: '/nowhere',
    stdin: stdin as never, stdout: stdout as never, stderr: stderr as never,
  });
  const textOf = (stream: PassThrough) => String(stream.read() ?? '');
  return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr) };
}

test('--help lists every command, --version prints the version', async () => {
  const { exitCode, stdout } = await farwatch('--help');
  expect(exitCode).toBe(0);
  for (const [name, { summary }] of Object.entries(COMMANDS)) expect(stdout).toMatch(new RegExp(`${name} .*${summary.split(' ')[0]}`));
  expect(await farwatch('--version')).toEqual({ exitCode: 0, stdout: '1.2.3\n', stderr: '' });
});

test.each(Object.keys(COMMANDS))('%s --help and help %s describe the command', async (name) => {
  const help = await farwatch(name, '--help');
  expect(help).toMatchObject({ exitCode: 0, stderr: '' });
  expect(help.stdout).toContain(`Usage: farwatch ${name} `);
  expect(await farwatch('help', name)).toEqual(help);
});

test.each(Object.keys(COMMANDS))('%s refuses an unknown option in one line with exit code 2', async (name) => {
  const { exitCode, stdout, stderr } = await farwatch(name, '--loud');
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^farwatch: (unknown option '--loud'|required option).*\n$/);
});

test.each([
  [['prob'], "farwatch: unknown command 'prob' (Did you mean probe?); see farwatch --help\n"],
  [['--prob'], "farwatch: unknown option '--prob'; see farwatch --help\n"],
  [['toString'], "farwatch: unknown command 'toString'; see farwatch --help\n"],
  [['controller', 'x'], 'farwatch: too many arguments. Expected 0 arguments but got 1; see farwatch controller --help\n'],
])('%j is refused in one line with exit code 2', async (argv, stderr) => {
  expect(await farwatch(...argv)).toEqual({ exitCode: 2, stdout: '', stderr });
});
