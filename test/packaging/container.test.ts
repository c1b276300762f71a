import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { Container, startBackend, type Backend } from './container.ts';
import { IMAGE, podman } from './podman.ts';
import { PackagingRig, rightsIn } from './rig.ts';

/** Mounts that are not on a disk. */
const KERNEL_OR_MEMORY = ['tmpfs', 'proc', 'sysfs', 'devpts', 'mqueue', 'cgroup', 'cgroup2'];
const controller = new Container('farwatch-controller');
const probe = new Container('farwatch-probe');
let backend: Backend;
let rig: PackagingRig;

const variables = (settings: Record<string, string>) =>
  Object.entries(settings).flatMap(([name, value]) => ['--env', `'${name}=${value}'`]);
const ofProbe = ['--cap-add', 'NET_RAW', '--volume', `${probe.name}:/data`];

beforeAll(async () => {
  backend = await startBackend();
  await podman('image', 'exists', IMAGE)
    .catch(() => podman('build', '--format', 'docker', '--tag', IMAGE, '--file', 'deploy/container/Containerfile', '.'));
  const port = await freePort();
  const settings = { ...backend.settings, NATS_CREDS: '/run/nats.creds', PORT: String(port), MIN_INTERVAL_SECONDS: '1', RATE_LIMIT: '1000000' };
  const mounts = ['--volume', `${controller.name}:/data`, '--volume', `${backend.credsFile}:/run/nats.creds:ro`];
  await controller.run([...variables(settings), ...mounts], 'controller');
  await controller.healthy();
  rig = await PackagingRig.start(`http://127.0.0.1:${port}`);
  await probe.run([...variables({ FARWATCH_TOKEN: rig.token }), ...ofProbe], 'probe', '--controller', rig.url);
});
afterAll(async () => {
  await podman('rm', '--force', '--ignore', '--time', '0', controller.name, probe.name);
  await rig?.stop();
  await backend?.stop();
});

const status = async (container: Container) => readFileSync(`/proc/${await container.inspect('.State.Pid')}/status`, 'utf8');

async function stops(container: Container): Promise<void> {
  await podman('stop', container.name);
  expect(await container.inspect('.State.ExitCode')).toBe('0');
}

test('a probe enrols with its token and reports results', async () => {
  await rig.connected(1, probe);
  await probe.healthy();
  await rig.reports();
  expect(await rig.capabilities()).toContain('ICMP/raw-socket');
});

test('both run without root, the probe with CAP_NET_RAW only, the controller without any', async () => {
  expect(rightsIn(await status(probe))).toMatchObject({ users: [65_532], onlyNetRaw: true });
  expect(rightsIn(await status(controller)).users).toEqual([65_532]);
  expect(await status(controller)).toMatch(/^CapBnd:\s+0+$/m);
});

test('only its volume is writable on disk, even for root', async () => {
  const elsewhere = KERNEL_OR_MEMORY.map((type) => `! -fstype ${type}`).join(' ');
  const find = `find / ${elsewhere} -writable '(' -type d -o -type f ')' 2>/dev/null || true`;
  const writable = (await podman('exec', probe.name, 'sh', '-c', `"${find}"`)).split('\n');
  expect(writable).toContain('/data/identity.json');
  expect(writable.filter((path) => !/^\/data(\/|$)/.test(path))).toEqual([]);
  await expect(podman('exec', '--user', '0', probe.name, 'touch', '/app/healthcheck.mjs')).rejects.toThrow('Read-only file system');
});

test('a controller keeps its id and a probe its identity after a restart', async () => {
  const id = () => podman('exec', controller.name, 'cat', '/data/controller-id');
  const before = await id();
  await podman('restart', controller.name);
  await controller.healthy();
  expect(await id()).toBe(before);
  await podman('restart', probe.name);
  await rig.connected(2, probe);
  await rig.reports();
});

test('a probe sends its results before it stops', async () => {
  await stops(probe);
  expect((await probe.log()).split('\n').at(-1)).toContain('"msg":"stopped"');
});

test('another container with the same volume starts without a token', async () => {
  await podman('rm', probe.name);
  await probe.run(ofProbe, 'probe');
  await rig.connected(1, probe);
  await rig.reports();
  await stops(probe);
  await stops(controller);
});
