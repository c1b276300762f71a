import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandsOf, PROBE_IMAGE as NAME, podman, shell } from './podman.ts';
import { PackagingRig, rightsIn } from './rig.ts';

/** Mounts that are not on a disk. */
const KERNEL_OR_MEMORY = ['tmpfs', 'proc', 'sysfs', 'devpts', 'mqueue', 'cgroup', 'cgroup2'];
let rig: PackagingRig;

beforeAll(async () => {
  rig = await PackagingRig.start();
  await shell(commandsOf('Containerfile', rig));
});
afterAll(() => rig?.stop());

const log = () => podman('logs', NAME);
const inspect = (field: string) => podman('inspect', '--format', `'{{${field}}}'`, NAME);

const probe = { log, hasEnded: async () => await inspect('.State.Running') !== 'true' };

async function stops(): Promise<void> {
  await podman('stop', NAME);
  expect(await inspect('.State.ExitCode')).toBe('0');
  expect((await log()).split('\n').at(-1)).toContain('"msg":"stopped"');
}

test('a container enrols with its token and reports results', async () => {
  await rig.connected(1, probe);
  await rig.reports();
  expect(await rig.capabilities()).toContain('ICMP/raw-socket');
});

test('it runs without root and has only CAP_NET_RAW', async () => {
  const status = readFileSync(`/proc/${await inspect('.State.Pid')}/status`, 'utf8');
  expect(rightsIn(status)).toMatchObject({ users: [65_532], onlyNetRaw: true });
});

test('only its volume is writable on disk, even for root', async () => {
  const elsewhere = KERNEL_OR_MEMORY.map((type) => `! -fstype ${type}`).join(' ');
  const find = `find / ${elsewhere} -writable '(' -type d -o -type f ')' 2>/dev/null || true`;
  const writable = (await podman('exec', NAME, 'sh', '-c', `"${find}"`)).split('\n');
  expect(writable).toContain('/data/identity.json');
  expect(writable.filter((path) => !/^\/data(\/|$)/.test(path))).toEqual([]);
  await expect(podman('exec', '--user', '0', NAME, 'touch', '/probe/probe.mjs')).rejects.toThrow('Read-only file system');
});

test('it keeps its identity after a restart', async () => {
  await podman('restart', NAME);
  await rig.connected(2, probe);
  await rig.reports();
});

test('it sends its results before it stops', stops);

test('another container with the same volume starts without a token', async () => {
  await podman('rm', NAME);
  await podman(
    'run', '--detach', '--name', NAME, '--read-only', '--cap-drop', 'ALL', '--cap-add', 'NET_RAW',
    '--volume', `${NAME}:/data`, NAME,
  );
  await rig.connected(1, probe);
  await rig.reports();
  await stops();
});
