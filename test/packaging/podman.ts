import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runQuietly } from '../../deploy/quickstart/install.mjs';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import { root } from '../root.mjs';

/** The only Podman data that outlives a run: the base images. */
export const CACHE = join(root, 'node_modules/.cache/farwatch-test/packaging');
const STORAGE = join(CACHE, 'storage');
/** Short, because of sockets; each checkout has its own. */
const RUNNING = join(tmpdir(), `farwatch-packaging-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`);
const SETTINGS = { CONTAINERS_CONF: join(CACHE, 'containers.conf'), CONTAINERS_STORAGE_CONF: join(CACHE, 'storage.conf') };

/** Names of the images built and removed by these tests. */
export const IMAGE = 'farwatch';
export const MACHINE_IMAGE = 'farwatch-machine';
const REMOVE = `
  podman rm --all --force --time 0 --volumes || true
  podman volume prune --force || true
  podman rmi --ignore --force ${IMAGE} ${MACHINE_IMAGE} || true
  podman image prune --force`;

/** Of a command's output, in an error. */
const MAX_ERROR_LINES = 20;

/** Isolates these tests from the machine's Podman. The probe uses the host network, like the controller. */
export function configurePodman(): void {
  mkdirSync(CACHE, { recursive: true });
  // runc, because crun rejects a hybrid of cgroups v1 and v2; limits that are permitted in a nested container.
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

/**
 * Runs a shell script with `podman` configured for these tests; resolves to its output, or rejects with the end of it.
 */
export async function shell(script: string): Promise<string> {
  const run = runQuietly('sh', ['-ec', script], { cwd: root, env: cleanEnvironment(SETTINGS) });
  const output = await run.catch((error: Error) => {
    throw new Error(`${script.trim()}\n${error.message.split('\n').slice(-MAX_ERROR_LINES).join('\n')}`);
  });
  return String(output).trim();
}

/** `args` are shell words. */
export function podman(...args: string[]): Promise<string> {
  return shell(`podman ${args.join(' ')}`);
}

/** Removes everything except the base images, as far as possible. */
export async function removeContainers(): Promise<void> {
  await shell(REMOVE).catch(() => undefined);
  rmSync(RUNNING, { recursive: true, force: true });
}

/** The same synchronously, for an exiting process. */
export function removeContainersSync(): void {
  spawnSync('sh', ['-c', REMOVE], { env: cleanEnvironment(SETTINGS), stdio: 'ignore' });
  rmSync(RUNNING, { recursive: true, force: true });
}

/** The commands in the header comment of a file of deploy, with values of a test in place of those of the example. */
export function commandsOf(file: string, values: Record<string, string>): string {
  const text = readFileSync(join(root, 'deploy', file), 'utf8');
  const commands = [...text.matchAll(/^# {3}(.*)$/gm)].map(([, line]) => line).join('\n');
  return Object.entries(values).reduce((result, [example, value]) => {
    if (!result.includes(example)) throw new Error(`the commands of ${file} do not contain ${example}`);
    return result.replaceAll(example, value);
  }, commands);
}
