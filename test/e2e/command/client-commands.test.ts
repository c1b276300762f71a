import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../deploy/quickstart/servers/ports.ts';
import { ApiSession } from '../../helpers/api-session.ts';
import { startFarwatch, type Farwatch } from '../../helpers/farwatch.ts';
import { startTarget, type Target } from '../../helpers/target.ts';
import { until } from '../../helpers/until.ts';
import { callCommand, runCommand, startCommand, type RunningCommand } from './run-command.ts';

interface Window {
  id: string;
  monitor_ids: string[];
  ends_at: string;
  status: string;
}

let farwatch: Farwatch;
let target: Target;
let session: ApiSession;
let dir = '';
let projectId = '';
let env: Record<string, string> = {};
const running: RunningCommand[] = [];

const run = (...args: string[]) => callCommand(args, env);
/** As a process of its own. */
const runProcess = (...args: string[]) => runCommand(args, env);
const start = (...args: string[]) => {
  const command = startCommand(args, env);
  running.push(command);
  return command;
};
const windows = async () => (await session.ok<{ maintenance_windows: Window[] }>(
  'GET', `/api/projects/${projectId}/maintenance-windows`,
)).maintenance_windows;
const fileOf = (name: string, text: string) => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-client-'));
  target = await startTarget();
  const settings = { MIN_INTERVAL_SECONDS: '1', RATE_LIMIT: '1000000', BASE_URL: 'http://127.0.0.1/up' };
  farwatch = await startFarwatch({ env: settings });
  session = await new ApiSession(farwatch.url).begin();
  const { key } = await session.ok<{ key: string }>(
    'POST', '/api/auth/api-keys', { name: 'scripts', scope: 'read_write' },
  );
  env = { FARWATCH_URL: `${farwatch.url}/up/`, FARWATCH_API_KEY_FILE: fileOf('key', `${key}\n`) };
  projectId = (await session.ok<{ projects: { id: string }[] }>('GET', '/api/projects')).projects[0]?.id ?? '';
});
afterAll(async () => {
  for (const command of running) command.kill('SIGKILL');
  await farwatch?.stop();
  await target?.close();
  rmSync(dir, { recursive: true, force: true });
});

test('apply creates what a folder of files says, once; its dry run exits with 2 while there are changes', async () => {
  const folder = join(dir, 'monitors');
  mkdirSync(folder);
  fileOf('monitors/1-groups.json', JSON.stringify({ groups: [{ name: 'Shops' }] }));
  fileOf('monitors/2-shop.yaml', [
    'monitors:',
    `  - { name: Shop, type: HTTP, target: "${target.url}", interval_seconds: 1, group: Shops, tags: [shop] }`,
  ].join('\n'));
  const dryRun = await runProcess('apply', '-f', folder, '--dry-run');
  expect(dryRun).toMatchObject({ exitCode: 2, stderr: '' });
  expect(dryRun.stdout).toMatch(/create +monitor +Shop\n2 to create, 0 to update, 0 unchanged\n$/);
  expect(await run('monitors')).toEqual({ exitCode: 0, stdout: 'No monitors\n', stderr: '' });
  expect((await run('apply', '-f', folder)).stdout).toContain('2 created, 0 updated, 0 unchanged\n');
  expect(await run('apply', '-f', folder, '--dry-run'))
    .toEqual({ exitCode: 0, stdout: '0 to create, 0 to update, 2 unchanged\n', stderr: '' });
});

test('apply refuses wrong files in one line and changes nothing', async () => {
  const anchors = fileOf('anchors.yaml', 'monitors: &all []\ngroups: *all\n');
  const wrong = fileOf('wrong.yaml', 'monitors:\n  - { name: A, type: HTTP, target: "no address", interval_seconds: 5 }\n');
  for (const path of [join(dir, 'none.yaml'), anchors, wrong, fileOf('list.yaml', '- 1\n'), fileOf('bad.yaml', 'a: [')]) {
    const { exitCode, stdout, stderr } = await run('apply', '-f', path);
    expect({ path, exitCode, stdout, lines: stderr.split('\n').length }).toEqual({ path, exitCode: 2, stdout: '', lines: 2 });
  }
  expect(JSON.parse((await run('monitors', '--json')).stdout)).toMatchObject({ monitors: [{ name: 'Shop' }] });
});

test('export prints what apply takes without changes, as YAML and JSON', async () => {
  const yaml = await runProcess('export');
  expect(yaml).toMatchObject({ exitCode: 0, stderr: '' });
  expect(yaml.stdout).toContain('name: Shop');
  const json = await run('export', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ version: 1, monitors: [{ name: 'Shop', group: 'Shops' }] });
  for (const path of [fileOf('export.yaml', yaml.stdout), fileOf('export.json', json.stdout)]) {
    expect((await run('apply', '--dry-run', '--file', path)).stdout).toBe('0 to create, 0 to update, 2 unchanged\n');
  }
});

test('monitors lists names and states in columns', async () => {
  await until(async () => (await run('monitors')).stdout.includes(' up '), { what: 'the monitor is up', everyMs: 500 });
  const [header, row, ...rest] = (await run('monitors', '--tag', 'shop')).stdout.split('\n');
  expect(header).toMatch(/^NAME +STATE +UPTIME 24 H +RESPONSE +TYPE +TARGET +ID$/);
  expect(row).toMatch(/^Shop +up +\S+ % +\d+ ms +HTTP +http:\S+ +[0-9a-f-]{36}$/);
  expect(rest).toEqual(['']);
  expect((await run('monitors', '--tag', 'other')).stdout).toBe('No monitors\n');
});

test('check exits with 0 if a target is up and with 1 if it is down, and saves nothing', async () => {
  const up = await run('check', target.url);
  expect(up).toMatchObject({ exitCode: 0, stderr: '' });
  expect(up.stdout).toMatch(/\nlocal +up /);
  const { exitCode, stdout } = await run('check', `127.0.0.1:${await freePort()}`, '--region', 'local', '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'down', results: [{ region: 'local', outcome: 'failure' }] });
  expect(await run('check', target.url, '--region', 'nowhere')).toMatchObject({ exitCode: 2, stdout: '' });
  expect(JSON.parse((await run('monitors', '--json')).stdout)).toMatchObject({ monitors: [{ name: 'Shop' }] });
});

test('tail prints one JSON event a line; incidents lists what happened and ack acknowledges it', async () => {
  const tail = start('tail');
  await until(() => tail.stdout().includes('"event":"result"'), { what: 'tail prints a result' });
  target.respondWith({ status: 503 });
  await until(() => tail.stdout().includes('"event":"incident"'), { what: 'tail prints the incident' });
  tail.kill('SIGINT');
  const { exitCode, stdout } = await tail.ended;
  expect(exitCode).toBe(130);
  const events = stdout.trim().split('\n').map((line) => JSON.parse(line) as { event: string; data: { id: string } });
  const id = events.find(({ event }) => event === 'incident')?.data.id ?? '';
  expect((await run('incidents', '--status', 'open')).stdout).toMatch(new RegExp(` open +\\S+ +Shop +.* ${id}\n`));
  expect(await run('ack', id)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Acknowledged: ') as string });
  expect(JSON.parse((await run('incidents', '--json', '--limit', '1')).stdout))
    .toMatchObject({ incidents: [{ id, status: 'acknowledged' }] });
  expect(await run('ack', id)).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await run('ack', '../monitors')).toMatchObject({ exitCode: 2, stdout: '' });
  target.respondWith({ status: 200 });
});

test('tail connects again and resumes after a restart of the controller', async () => {
  const tail = start('tail');
  await until(() => tail.stdout().includes('"event":"result"'), { what: 'tail prints a result' });
  await farwatch.replaced('controller', await farwatch.kill9('controller'));
  const before = tail.stdout().length;
  await until(() => tail.stdout().slice(before).includes('"event":"result"'), { what: 'tail prints further results' });
  expect(tail.stderr()).toMatch(/^farwatch: .*; connecting again\n/);
  tail.kill('SIGTERM');
  await tail.ended;
});

test('maintenance opens a window that ends with its command, and exits with its exit code', async () => {
  const { exitCode, stdout, stderr } =
    await runProcess('maintenance', '30', '--tag', 'shop', '--', process.execPath, '-e', 'console.log("deployed"); process.exit(7)');
  expect({ exitCode, stdout }).toEqual({ exitCode: 7, stdout: 'deployed\n' });
  expect(stderr).toMatch(/^Maintenance of 1 monitor until 2/);
  const [ended] = await windows();
  expect(ended).toMatchObject({ status: 'over' });
  expect(Date.parse(ended?.ends_at ?? '')).toBeLessThanOrEqual(Date.now());
});

test('a signal reaches the command, and the window ends all the same', async () => {
  const command = start('maintenance', '30', '--tag', 'shop', '--', process.execPath, '-e', 'console.log("runs"); setTimeout(() => {}, 1e6)');
  await until(() => command.stdout().includes('runs'), { what: 'the command runs' });
  expect((await windows())[0]).toMatchObject({ status: 'active' });
  command.kill('SIGTERM');
  expect((await command.ended).exitCode).toBe(143);
  expect((await windows()).map(({ status }) => status)).toEqual(['over', 'over']);
});

test('maintenance without a command prints the id of the window, which stays open', async () => {
  const [monitor] = (JSON.parse((await run('monitors', '--json')).stdout) as { monitors: { id: string }[] }).monitors;
  const { exitCode, stdout } = await run('maintenance', '5', '--monitor', monitor?.id ?? '');
  expect(exitCode).toBe(0);
  const opened = (await windows()).find(({ id }) => id === stdout.trim());
  expect(opened).toMatchObject({ status: 'active', monitor_ids: [monitor?.id] });
});

test.each([
  '0 --tag shop', 'x --tag shop', '5', '5 --tag shop --monitor x', '5 --tag none', '5 --monitor x',
])('maintenance %s is refused in one line', async (args) => {
  const before = await windows();
  const { exitCode, stdout, stderr } = await run('maintenance', ...args.split(' '));
  expect({ exitCode, stdout, lines: stderr.split('\n').length }).toEqual({ exitCode: 2, stdout: '', lines: 2 });
  expect(await windows()).toEqual(before);
});

test('a client command names a wrong setting, key or address in one line', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const cases: [Record<string, string>, number, string][] = [
    [{ FARWATCH_URL: farwatch.url }, 2, 'FARWATCH_API_KEY must be set'],
    [{ ...env, FARWATCH_URL: 'shop' }, 2, 'FARWATCH_URL must be an address'],
    [{ ...env, FARWATCH_API_KEY_FILE: join(dir, 'absent') }, 2, 'FARWATCH_API_KEY_FILE must name a readable file'],
    [{ FARWATCH_URL: farwatch.url, FARWATCH_API_KEY: 'fw_wrong' }, 2, 'API key'],
    [{ ...env, FARWATCH_URL: url }, 3, `${url} cannot be reached`],
    [{ ...env, FARWATCH_URL: target.url }, 3, 'is it the right address?'],
  ];
  for (const [settings, expected, message] of cases) {
    const { exitCode, stdout, stderr } = await callCommand(['monitors'], settings);
    expect({ message, exitCode, stdout, lines: stderr.split('\n').length }).toEqual({ message, exitCode: expected, stdout: '', lines: 2 });
    expect(stderr).toContain(message);
  }
});
