import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../deploy/quickstart/servers/ports.ts';
import { ApiSession } from '../../helpers/api-session.ts';
import type { Farwatch } from '../../helpers/farwatch.ts';
import { startTarget, type Target } from '../../helpers/target.ts';
import { until } from '../../helpers/until.ts';
import { callCommand, runCommand, startCommand, type RunningCommand } from './run-command.ts';

interface Window {
  id: string;
  monitor_ids: string[];
  ends_at: string;
  status: string;
}

/** Commands that call the API of an installation below `/up`. */
export function clientCommands(on: { readonly farwatch: Farwatch }): void {
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
    session = await new ApiSession(on.farwatch.url).begin();
    const { key } = await session.ok<{ key: string }>(
      'POST', '/api/auth/api-keys', { name: 'scripts', scope: 'read_write' },
    );
    env = { FARWATCH_URL: `${on.farwatch.url}/up/`, FARWATCH_API_KEY_FILE: fileOf('key', `${key}\n`) };
    projectId = (await session.ok<{ projects: { id: string }[] }>('GET', '/api/projects')).projects[0]?.id ?? '';
  });
  afterAll(async () => {
    for (const command of running) command.kill('SIGKILL');
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
    expect(dryRun.stdout).toBe('+ group Shops\n+ monitor Shop\n2 to create, 0 to update, 0 to delete, 0 unchanged\n');
    expect(await run('monitors')).toEqual({ exitCode: 0, stdout: 'No monitors\n', stderr: '' });
    expect((await run('apply', '-f', folder)).stdout).toContain('2 created, 0 updated, 0 deleted, 0 unchanged\n');
    expect(await run('apply', '-f', folder, '--dry-run'))
      .toEqual({ exitCode: 0, stdout: '0 to create, 0 to update, 0 to delete, 2 unchanged\n', stderr: '' });
  });

  test('apply refuses wrong files in one line with exit code 1, because 2 means changes, and changes nothing', async () => {
    const anchors = fileOf('anchors.yaml', 'monitors: &all []\ngroups: *all\n');
    const wrong = fileOf('wrong.yaml', 'monitors:\n  - { name: A, type: HTTP, target: "no address", interval_seconds: 5 }\n');
    await Promise.all([join(dir, 'none.yaml'), anchors, wrong, fileOf('list.yaml', '- 1\n'), fileOf('bad.yaml', 'a: ['), fileOf('field.yaml', 'monitor: []')].map(async (path) => {
      const { exitCode, stdout, stderr } = await run('apply', '-f', path, '--dry-run');
      expect({ path, exitCode, stdout, lines: stderr.split('\n').length }).toEqual({ path, exitCode: 1, stdout: '', lines: 2 });
    }));
    expect(await run('apply', '-f', wrong, '--prune')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse((await run('monitors', '--json')).stdout)).toMatchObject({ monitors: [{ name: 'Shop' }] });
  });

  test('export prints what apply takes without changes, as YAML and JSON', async () => {
    const yaml = await runProcess('export');
    expect(yaml).toMatchObject({ exitCode: 0, stderr: '' });
    expect(yaml.stdout).toContain('name: Shop');
    const json = await run('export', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ version: 1, monitors: [{ name: 'Shop', group: 'Shops' }] });
    for (const path of [fileOf('export.yaml', yaml.stdout), fileOf('export.json', json.stdout)]) {
      expect((await run('apply', '--dry-run', '--file', path)).stdout).toBe('0 to create, 0 to update, 0 to delete, 2 unchanged\n');
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
    expect(await run('check', target.url, '--region', 'nowhere')).toMatchObject({ exitCode: 1, stdout: '' });
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
    expect(await run('ack', id)).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await run('ack', '../monitors')).toMatchObject({ exitCode: 1, stdout: '' });
    target.respondWith({ status: 200 });
  });

  test('tail connects again and resumes after a restart of the controller', async () => {
    const tail = start('tail');
    await until(() => tail.stdout().includes('"event":"result"'), { what: 'tail prints a result' });
    await on.farwatch.replaced('controller', await on.farwatch.kill9('controller'));
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

  test('marker marks monitors with a tag, one monitor or all, and refuses what the API does', async () => {
    const { monitors } = await session.ok<{ monitors: { id: string; tags: string[] }[] }>('GET', '/api/monitors/overview');
    const id = monitors.find(({ tags }) => tags.includes('shop'))?.id ?? '';
    expect(await runProcess('marker', 'v1.2', '--tag', 'shop', 'other')).toEqual({
      exitCode: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/), stderr: '',
    });
    expect((await run('marker', 'v1.3')).exitCode).toBe(0);
    const { marker } = JSON.parse((await run('marker', 'v1.4', '--monitor', id, '--json')).stdout) as { marker: object };
    expect(marker).toMatchObject({ text: 'v1.4', monitor_ids: [id], tags: [] });
    const { changes } = await session.ok<{ changes: { kind: string; after: string[] }[] }>('GET', `/api/monitors/${id}/changes`);
    expect(changes.filter(({ kind }) => kind === 'marker').flatMap(({ after }) => after)).toEqual(['v1.4', 'v1.3', 'v1.2']);
    const refused = (message: string, exitCode: number) => ({ exitCode, stdout: '', stderr: `farwatch: ${message}\n` });
    expect(await run('marker', 'v2', '--tag', 'a', '--monitor', id)).toEqual(refused('give --monitor or --tag, not both', 2));
    expect(await run('marker', '')).toEqual(refused('Validation failed: text: Must not be empty', 1));
    const unknown = '00000000-0000-7000-8000-000000000000';
    expect(await run('marker', 'v2', '--monitor', unknown)).toEqual(refused(`Monitor not found: ${unknown}`, 1));
  });

  test('a window ends also when its command is killed, and does not last longer than a command that is missing', async () => {
    const maintenance = ['maintenance', '30', '--tag', 'shop', '--'];
    expect(await runProcess(...maintenance, process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")')).toMatchObject({ exitCode: 137 });
    expect(await runProcess(...maintenance, join(dir, 'missing'))).toMatchObject({ exitCode: 127 });
    expect((await windows()).map(({ status }) => status)).toEqual(['over', 'over', 'over']);
  });

  test('a window ends after a signal while it opens, and although the installation is unavailable at first', async () => {
    let refusals = 0;
    const proxy = createServer((request, response) => {
      if (request.method === 'POST') command.kill('SIGTERM');
      const isUnavailable = request.method === 'PATCH' && refusals === 0;
      refusals += isUnavailable ? 1 : 0;
      if (isUnavailable) return void response.writeHead(503).end();
      text(request).then(async (body) => {
        const { method = '', headers } = request;
        const sent = { 'x-api-key': String(headers['x-api-key']), 'content-type': 'application/json' };
        const forwarded = await fetch(on.farwatch.url + request.url, { method, headers: sent, body: body === '' ? null : body });
        response.writeHead(forwarded.status).end(await forwarded.text());
      }, () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const command = startCommand(
      ['maintenance', '30', '--tag', 'shop', '--', process.execPath, '-e', 'setTimeout(() => {}, 1e6)'],
      { ...env, FARWATCH_URL: `http://127.0.0.1:${port}/up` },
    );
    running.push(command);
    expect((await command.ended).exitCode).toBe(143);
    expect(new Set((await windows()).map(({ status }) => status))).toEqual(new Set(['over']));
    expect(refusals).toBe(1);
    proxy.close();
  });

  test('a signal reaches the command, and the window ends all the same', async () => {
    const command = start('maintenance', '30', '--tag', 'shop', '--', process.execPath, '-e', 'console.log("runs"); setTimeout(() => {}, 1e6)');
    await until(() => command.stdout().includes('runs'), { what: 'the command runs' });
    expect((await windows())[0]).toMatchObject({ status: 'active' });
    command.kill('SIGTERM');
    expect((await command.ended).exitCode).toBe(143);
    expect((await windows())[0]).toMatchObject({ status: 'over' });
  });

  test('maintenance without a command prints the id of the window, which stays open', async () => {
    const [monitor] = (JSON.parse((await run('monitors', '--json')).stdout) as { monitors: { id: string }[] }).monitors;
    const { exitCode, stdout } = await run('maintenance', '5', '--monitor', monitor?.id ?? '');
    expect(exitCode).toBe(0);
    const opened = (await windows()).find(({ id }) => id === stdout.trim());
    expect(opened).toMatchObject({ status: 'active', monitor_ids: [monitor?.id] });
  });

  test('maintenance opens now, also from a computer whose clock is an hour behind', async () => {
    const clock = 'data:text/javascript,const%20now=Date.now;Date.now=()=>now()-3600000';
    const command = startCommand(['maintenance', '5', '--tag', 'shop'], { ...env, NODE_OPTIONS: `--import=${clock}` });
    const { exitCode, stdout } = await command.ended;
    expect(exitCode).toBe(0);
    expect((await windows()).find(({ id }) => id === stdout.trim())).toMatchObject({ status: 'active' });
  });

  test.each([
    ['0 --tag shop', 2], ['x --tag shop', 2], ['5', 2], ['5 --tag shop --monitor x', 2], ['5 --tag none', 1], ['5 --monitor x', 1],
  ])('maintenance %s is refused in one line with exit code %d', async (args, expected) => {
    const before = await windows();
    const { exitCode, stdout, stderr } = await run('maintenance', ...args.split(' '));
    expect({ exitCode, stdout, lines: stderr.split('\n').length }).toEqual({ exitCode: expected, stdout: '', lines: 2 });
    expect(await windows()).toEqual(before);
  });

  test('a client command names a wrong setting, key or address in one line, without credentials', async () => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const [addressProblem, keyProblem] = ['FARWATCH_URL must be an address', 'FARWATCH_API_KEY must be one line'];
    const expiring = { name: 'short', scope: 'read', expires_at: new Date(Date.now() + 3000).toISOString() };
    const { key: expired } = await session.ok<{ key: string }>('POST', '/api/auth/api-keys', expiring);
    target.respondWith({ status: 302, headers: { location: 'https://user:SECRET@elsewhere.example/login' } }, '/moved/api/monitors/overview');
    const cases: [Record<string, string>, string][] = [
      [{ FARWATCH_URL: on.farwatch.url }, 'FARWATCH_API_KEY must be set'],
      [{ ...env, FARWATCH_URL: 'shop' }, addressProblem],
      [{ ...env, FARWATCH_URL: 'htp://user:SECRET@127.0.0.1' }, addressProblem],
      [{ ...env, FARWATCH_URL: on.farwatch.url.replace('//', '//user:SECRET@') }, addressProblem],
      [{ ...env, FARWATCH_API_KEY_FILE: join(dir, 'absent') }, 'FARWATCH_API_KEY_FILE must name a readable file'],
      [{ ...env, FARWATCH_API_KEY_FILE: fileOf('two-keys', 'fw_SECRET\nfw_SECRET\n') }, keyProblem],
      [{ FARWATCH_URL: on.farwatch.url, FARWATCH_API_KEY: 'fw_SECRET' }, 'The API key is not valid'],
      [{ ...env, FARWATCH_URL: closed }, `${closed} cannot be reached`],
      [{ ...env, FARWATCH_URL: `${target.url}/moved` }, 'redirects to https://elsewhere.example; is it the right address?'],
      [{ ...env, FARWATCH_URL: target.url }, 'is it the right address?'],
    ];
    await Promise.all(cases.map(async ([settings, message]) => {
      const { exitCode, stdout, stderr } = await callCommand(['monitors'], settings);
      expect({ message, exitCode, stdout, lines: stderr.split('\n').length }).toEqual({ message, exitCode: 1, stdout: '', lines: 2 });
      expect(stderr).toContain(message);
      expect(stderr).not.toContain('SECRET');
    }));
    const { stderr } = await until(async () => {
      const ended = await callCommand(['monitors'], { FARWATCH_URL: on.farwatch.url, FARWATCH_API_KEY: expired });
      return ended.exitCode === 1 && ended;
    }, { what: 'the key expires' });
    expect(stderr).toMatch(/^farwatch: The API key expired on 2.*\n$/);
  });
}
