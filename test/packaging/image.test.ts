import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { ensureDebianPackages } from '../services/packages.ts';
import { Container, outputOf } from './container.ts';
import { commandsOf, IMAGE, podman, shell } from './podman.ts';

const farwatch = new Container('farwatch');
let port: number;
let target: Target;
let session: ApiSession;
let monitorId: string;

/** Runs the commands that the Containerfile shows: builds the image and starts it. */
beforeAll(async () => {
  target = await startTarget();
  port = await freePort();
  await shell(commandsOf('container/Containerfile', { '-p 3000:3000': `-e PORT=${port}` }));
});
afterAll(async () => {
  await podman('rm', '--force', '--time', '0', farwatch.name);
  await target?.close();
});

const checks = async () => {
  const { data } = await session.call('GET', `/api/monitors/${monitorId}/stats`);
  return Number(data?.['total_checks'] ?? 0);
};

test('the image has a version, no compiler and Node.js once', async () => {
  const labels = await podman('image', 'inspect', '--format', `'{{json .Labels}}'`, IMAGE);
  expect(JSON.parse(labels)).toMatchObject({
    'org.opencontainers.image.title': 'Farwatch', 'org.opencontainers.image.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  const find = (expression: string) =>
    podman('run', '--rm', '--no-healthcheck', '--user', '0', '--entrypoint', 'find', IMAGE, '/', '-xdev', '-type', 'f', expression);
  expect(await find('-name node')).toBe('/usr/local/bin/node');
  expect(await find(`'(' -name 'gcc*' -o -name cc -o -name 'g++*' -o -name npm -o -name 'python3*' ')' -perm /111`)).toBe('');
  expect(await find('-perm /6000'), 'no program raises its user\'s rights').toBe('');
  expect((await outputOf([], '--version'))[0]).toMatch(/^\d+\.\d+\.\d+/);
});

test('one container signs up a user and stores checks', async () => {
  await farwatch.healthy();
  session = await new ApiSession(`http://127.0.0.1:${port}`).begin();
  const { monitor } = await session.ok<{ monitor: { id: string } }>(
    'POST', '/api/monitors', { name: 'shop', type: 'HTTP', target: target.url, interval_seconds: 60 },
  );
  monitorId = monitor.id;
  await until(checks, { what: 'a check is stored', everyMs: 250 });
});

test('all of its processes run without root', async () => {
  const users = (await podman('top', farwatch.name, 'user')).split('\n').slice(1).map((line) => line.trim());
  expect(users.length).toBeGreaterThan(3);
  expect(new Set(users)).toEqual(new Set(['65532']));
});

test('keeps its data after it was killed', async () => {
  await podman('kill', farwatch.name);
  await podman('start', farwatch.name);
  await farwatch.healthy();
  // Another name, so that no connection of the killed server is reused.
  session = await new ApiSession(`http://localhost:${port}`).begin();
  expect(await checks()).toBeGreaterThan(0);
});

test('starts without the capability for ICMP checks', async () => {
  const name = 'farwatch-without-capability';
  const other = new Container(name);
  await other.run(['--env', `PORT=${await freePort()}`]);
  await other.healthy();
  await podman('rm', '--force', '--time', '0', name);
});

test('sends echo requests without any capability, as the pods of the chart do', async () => {
  const network = ['--network', 'none', '--sysctl', `'net.ipv4.ping_group_range=0 2147483647'`];
  const user = ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--read-only'];
  const ping = ['--entrypoint', 'ping', IMAGE, '-c', '1', '127.0.0.1'];
  expect(await podman('run', '--rm', '--no-healthcheck', ...network, ...user, ...ping)).toContain('1 received');
});

describe('refuses in one line, with exit code 2, and changes nothing', () => {
  const OTHERS = { MONGODB_URL: 'mongodb://127.0.0.1:1/farwatch', NATS_URL: 'nats://127.0.0.1:1', FARWATCH_TOKEN: 'a'.repeat(32) };
  const env = Object.entries(OTHERS).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const ROLES = [[], ['controller'], ['probe', '--controller', 'http://127.0.0.1:1']];
  let foreign: string;

  beforeAll(() => {
    foreign = mkdtempSync(join(tmpdir(), 'farwatch-foreign-'));
    chmodSync(foreign, 0o755);
  });
  afterAll(() => rmSync(foreign, { recursive: true }));

  const list = (mount: string) =>
    podman('run', '--rm', '--no-healthcheck', '--volume', mount, '--entrypoint', 'find', IMAGE, '/data', '-ls');

  test.each(ROLES)('a directory of another user', async (...role) => {
    const before = await list(`${foreign}:/data`);
    expect(await outputOf([...env, '--volume', `${foreign}:/data`], ...role)).toEqual([
      expect.stringContaining('/data belongs to others: user 65532 cannot write to it.'), 'exit 2',
    ]);
    expect(await list(`${foreign}:/data`)).toBe(before);
  });

  test.each(ROLES)('a read-only volume', async (...role) => {
    expect(await outputOf([...env, '--volume', `${IMAGE}-empty:/data:ro`], ...role)).toEqual([
      expect.stringContaining('/data is on a read-only file system.'), 'exit 2',
    ]);
  });

  test.each([['host'], ['none']])('the volume of a running container, with network %s', async (network) => {
    const options = ['--network', network, '--env', `PORT=${await freePort()}`, '--volume', 'farwatch:/data'];
    const refusal = [expect.stringContaining('another container'), 'exit 2'];
    expect(await outputOf(options)).toEqual(refusal);
    expect(await outputOf([...env, ...options], 'controller')).toEqual(refusal);
    await farwatch.healthy();
  });

  test('data of a newer version', async () => {
    const volume = ['--volume', `${IMAGE}-newer:/data`];
    const write = `"echo 1000000 > /data/version"`;
    await podman('run', '--rm', '--no-healthcheck', ...volume, '--entrypoint', 'sh', IMAGE, '-c', write);
    const before = await list(`${IMAGE}-newer:/data`);
    expect(await outputOf(volume)).toEqual([expect.stringContaining('/data was written by a newer version'), 'exit 2']);
    expect(await list(`${IMAGE}-newer:/data`)).toBe(before);
  });

  test('an unknown command', async () => {
    expect(await outputOf([], 'unknown')).toEqual([expect.stringContaining("unknown command 'unknown'"), 'exit 2']);
  });
});

// The profile ha needs an image of MongoDB, which cannot be built here.
test('podman-compose starts one container by default', async () => {
  await ensureDebianPackages('podman-compose', 'containernetworking-plugins', 'iptables');
  const ownPort = await freePort();
  const compose = 'podman-compose --project-name composed --file deploy/compose/compose.yaml';
  try {
    await shell(`FARWATCH_PORT=${ownPort} ${compose} up --detach farwatch`);
    const isReady = () => fetch(`http://127.0.0.1:${ownPort}/readyz`).then(({ ok }) => ok, () => false);
    await until(isReady, { what: 'it is ready', everyMs: 250 });
    const mounts = await podman('inspect', '--format', "'{{json .Mounts}}'", 'composed_farwatch_1');
    expect(JSON.parse(mounts)).toEqual([expect.objectContaining({ Name: 'composed_farwatch', Destination: '/data' })]);
  } finally {
    await podman('rm', '--force', '--ignore', '--time', '0', 'composed_farwatch_1');
    await podman('network', 'rm', '--force', 'composed_default');
  }
});
