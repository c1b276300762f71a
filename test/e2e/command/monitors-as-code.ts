import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ApiSession } from '../../helpers/api-session.ts';
import { cleanEnvironment } from '../../helpers/clean-environment.ts';
import type { Farwatch } from '../../helpers/farwatch.ts';
import { callCommand, type CommandRun } from './run-command.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const execute = promisify(execFile);

interface Step {
  name?: string;
  if?: string;
  run?: string;
}
interface Workflow {
  env: Record<string, string>;
  jobs: { monitors: { steps: Step[] } };
}

const workflow = parse(readFileSync(join(ROOT, 'docs/examples/monitors.yml'), 'utf8')) as Workflow;
/** The example of a workflow that applies files of monitors. Deletes all monitors first. */
export function monitorsAsCode(on: { readonly farwatch: Farwatch }): void {
  let session: ApiSession;
  let dir = '';
  let env: Record<string, string> = {};

  const fileOf = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
    return join(dir, path);
  };
  const apply = (...args: string[]) => callCommand(['apply', ...args], env);
  const monitors = async () => (JSON.parse((await callCommand(['monitors', '--json'], env)).stdout) as {
    monitors: { id: string; name: string }[];
  }).monitors;
  const names = async () => (await monitors()).map(({ name }) => name).sort();
  const monitorLine = (name: string, interval = 60) =>
    `  - { name: ${name}, type: HTTP, target: "https://${name.toLowerCase()}.invalid/", interval_seconds: ${interval}, tags: [shop] }\n`;

  /** The package of a release, with the program of this checkout. */
  async function packageOfCheckout(): Promise<string> {
    fileOf('package/package.json', JSON.stringify({ name: 'farwatch', version: '1.0.0', type: 'module', bin: { farwatch: 'farwatch.mjs' } }));
    fileOf('package/farwatch.mjs', `#!/usr/bin/env node\nawait import(${JSON.stringify(join(ROOT, 'deploy/command/farwatch.mjs'))});\n`);
    await execute('tar', ['-czf', join(dir, 'farwatch.tgz'), '-C', dir, 'package']);
    return join(dir, 'farwatch.tgz');
  }

  /** Runs the steps that GitHub would run, in order, until one fails. Resolves to what each one printed. */
  async function runWorkflow(event: string): Promise<(CommandRun & { name: string })[]> {
    const values: Record<string, string | undefined> = {
      'vars.FARWATCH_PACKAGE': join(dir, 'farwatch.tgz'), 'vars.FARWATCH_URL': env['FARWATCH_URL'],
      'secrets.FARWATCH_API_KEY': env['FARWATCH_API_KEY'],
    };
    const variables = Object.fromEntries(Object.entries(workflow.env).map(([name, text]) =>
      [name, text.replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => values[expression] as string)]));
    const runs: (CommandRun & { name: string })[] = [];
    for (const { name = '', if: condition, run } of workflow.jobs.monitors.steps) {
      const expected = condition === undefined ? event : /^github\.event_name == '(\w+)'$/.exec(condition)?.[1];
      if (run === undefined || expected !== event) continue;
      const settings = { env: cleanEnvironment({
        ...variables, GITHUB_REPOSITORY: 'example/shop', npm_config_prefix: join(dir, 'npm'), npm_config_update_notifier: 'false',
        PATH: `${join(dir, 'npm/bin')}:${process.env['PATH']}`,
      }), cwd: join(dir, 'repository') };
      // As GitHub runs a step without `shell`.
      const [exitCode, { stdout, stderr }] = await execute('bash', ['-e', fileOf('step.sh', run)], settings).then(
        (output) => [0, output] as const, (error: CommandRun & { code: number }) => [error.code, error] as const,
      );
      runs.push({ name, exitCode, stdout, stderr });
      if (exitCode !== 0) break;
    }
    return runs;
  }

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'farwatch-as-code-'));
    [session] = await Promise.all([new ApiSession(on.farwatch.url).begin(), packageOfCheckout()]);
    const { key } = await session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'pipeline', scope: 'read_write' });
    env = { FARWATCH_URL: on.farwatch.url, FARWATCH_API_KEY: key };
    await session.ok('POST', '/api/monitors/bulk', { action: 'delete', monitor_ids: (await monitors()).map(({ id }) => id) });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('the workflow shows changes on a pull request, and applies them before it deploys in a window', async () => {
    const file = fileOf('repository/monitors/shop.yaml', `monitors:\n${monitorLine('Shop')}${monitorLine('Old')}`);
    chmodSync(fileOf('repository/deploy.sh', '#!/bin/sh\ntouch deployed\n'), 0o755);
    const request = await runWorkflow('pull_request');
    expect(request.map(({ name, exitCode }) => [name, exitCode])).toEqual([['Install farwatch', 0], ['Show what would change', 0]]);
    expect(request.at(-1)?.stdout).toBe('+ monitor Shop\n+ monitor Old\n2 to create, 0 to update, 0 to delete, 0 unchanged\n');
    expect(await names()).toEqual([]);

    const push = await runWorkflow('push');
    expect(push.map(({ name, exitCode }) => [name, exitCode]))
      .toEqual([['Install farwatch', 0], ['Apply', 0], ['Deploy during maintenance', 0]]);
    expect(await names()).toEqual(['Old', 'Shop']);
    const { projects } = await session.ok<{ projects: { id: string }[] }>('GET', '/api/projects');
    const { maintenance_windows: [window] } = await session.ok<{
      maintenance_windows: { starts_at: string; ends_at: string; monitor_ids: string[]; status: string }[];
    }>('GET', `/api/projects/${projects[0]?.id}/maintenance-windows`);
    expect(window).toMatchObject({ status: 'over', monitor_ids: (await monitors()).map(({ id }) => id) });
    const deployedAt = statSync(join(dir, 'repository/deployed')).mtimeMs;
    expect(deployedAt).toBeGreaterThanOrEqual(Date.parse(window?.starts_at ?? ''));
    expect(deployedAt).toBeLessThanOrEqual(Date.parse(window?.ends_at ?? ''));

    writeFileSync(file, `monitors:\n${monitorLine('Shop', 120)}`);
    expect((await runWorkflow('pull_request')).at(-1)).toMatchObject({
      exitCode: 0, stdout: '~ monitor Shop\n    interval_seconds: 60 → 120\n- monitor Old\n0 to create, 1 to update, 1 to delete, 0 unchanged\n',
    });
    await runWorkflow('push');
    expect(await names()).toEqual(['Shop']);
    expect(await apply('-f', dirname(file), '--owner', 'example/shop', '--prune', '--dry-run'))
      .toEqual({ exitCode: 0, stdout: '0 to create, 0 to update, 0 to delete, 1 unchanged\n', stderr: '' });
  });

  test('a step fails, and nothing is deployed, if the files are wrong', async () => {
    rmSync(join(dir, 'repository/deployed'));
    fileOf('repository/monitors/wrong.yaml', 'monitors: [{ name: Wrong }]\n');
    expect((await runWorkflow('push')).at(-1)).toMatchObject({
      name: 'Apply', exitCode: 1, stdout: '', stderr: expect.stringMatching(/^farwatch: .*\n$/) as string,
    });
    expect(existsSync(join(dir, 'repository/deployed'))).toBe(false);
    expect(await names()).toEqual(['Shop']);
  });

  test('apply exits with 1 and changes nothing if another owner manages an item', async () => {
    const file = fileOf('other.yaml', `monitors:\n${monitorLine('Shop', 90)}${monitorLine('Blog')}`);
    const dryRun = await apply('-f', file, '--owner', 'other', '--dry-run');
    expect(dryRun.exitCode).toBe(1);
    expect(dryRun.stdout).toContain('! monitor Shop is managed by example/shop\n');
    const { exitCode, stdout, stderr } = await apply('-f', file, '--owner', 'other');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^farwatch: .*Shop.*\n$/);
    expect(await names()).toEqual(['Shop']);
  });

  test('prune leaves what was made in the console and by other owners', async () => {
    await session.ok('POST', '/api/monitors', { name: 'Console', type: 'HTTP', target: 'https://console.invalid/', interval_seconds: 60 });
    await apply('-f', fileOf('other.yaml', `monitors:\n${monitorLine('Blog')}`), '--owner', 'other');
    const { exitCode, stdout } = await apply('-f', fileOf('none.yaml', 'monitors: []\n'), '--owner', 'other', '--prune');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '- monitor Blog\n0 created, 0 updated, 1 deleted, 0 unchanged\n' });
    expect(await names()).toEqual(['Console', 'Shop']);
  });
}
