import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runQuietly } from '../../deploy/quickstart/install.mjs';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import { root } from '../root.mjs';

/** Everything of Podman's that outlives a run: the base images. */
export const CACHE = join(root, 'node_modules/.cache/farwatch-test/packaging');
const STORAGE = join(CACHE, 'storage');
/** Short, for sockets; each checkout has its own. */
const RUNNING = join(tmpdir(), `farwatch-packaging-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`);
const SETTINGS = { CONTAINERS_CONF: join(CACHE, 'containers.conf'), CONTAINERS_STORAGE_CONF: join(CACHE, 'storage.conf') };

/** Names of the images that these tests build and remove. */
export const PROBE_IMAGE = 'farwatch-probe';
export const MACHINE_IMAGE = 'farwatch-machine';
const REMOVE = `
  podman rm --all --force --time 0 --volumes || true
  podman volume prune --force || true
  podman rmi --ignore --force ${PROBE_IMAGE} ${MACHINE_IMAGE} || true
  podman image prune --force`;

/** Of what a command has written, in an error. */
const MAX_ERROR_LINES = 20;

/** Podman apart from the machine's own: the probe is in the machine's network, as the controller is. */
export function configurePodman(): void {
  mkdirSync(CACHE, { recursive: true });
  // runc, as crun refuses a hybrid of cgroups v1 and v2; limits that a container in a container may set.
  writeFileSync(SETTINGS.CONTAINERS_CONF, `
[containers]
netns = "host"
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
lock_type = "file"
events_logger = "file"
cgroup_manager = "cgroupfs"
tmp_dir = "${RUNNING}/tmp"
`);
  writeFileSync(SETTINGS.CONTAINERS_STORAGE_CONF, `
[storage]
driver = "overlay"
graphroot = "${STORAGE}"
runroot = "${RUNNING}/run"
[storage.options.overlay]
skip_mount_home = "true"
`);
}

/** Runs a shell script whose `podman` is that of these tests; resolves to its output, rejects with the end of it. */
export async function shell(script: string): Promise<string> {
  const run = runQuietly('sh', ['-ec', script], { cwd: root, env: cleanEnvironment(SETTINGS) });
  const output = await run.catch((error: Error) => {
    throw new Error(`${script.trim()}\n${error.message.split('\n').slice(-MAX_ERROR_LINES).join('\n')}`);
  });
  return String(output).trim();
}

/** `args` are words of a shell. */
export function podman(...args: string[]): Promise<string> {
  return shell(`podman ${args.join(' ')}`);
}

/** Removes all but the base images, as far as it can. */
export async function removeContainers(): Promise<void> {
  await shell(REMOVE).catch(() => undefined);
  rmSync(RUNNING, { recursive: true, force: true });
}

/** The same in one go, for a process that exits. */
export function removeContainersSync(): void {
  spawnSync('sh', ['-c', REMOVE], { env: cleanEnvironment(SETTINGS), stdio: 'ignore' });
  rmSync(RUNNING, { recursive: true, force: true });
}

/** The commands that the comment on top of a file of deploy/probe tells its reader. */
export function commandsOf(file: string, { url, token }: { url: string; token: string }): string {
  const text = readFileSync(join(root, 'deploy/probe', file), 'utf8');
  return [...text.matchAll(/^# {3}(.*)$/gm)].map(([, line]) => line).join('\n')
    .replace('https://farwatch.example.com', url).replace(/(?<=FARWATCH_TOKEN=)(…|the .*)/, token);
}
