import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureNatsPrograms, natsPrograms } from '../helpers/nats-programs.ts';
import { ensureDebianPackages } from '../services/packages.ts';
import { podman, shell } from './podman.ts';

const DEBIAN = 'docker.io/library/debian:bookworm-slim';
const NODE = 'docker.io/library/node:22-bookworm';
const NATS = 'docker.io/library/nats:2';
const ALL = [DEBIAN, NODE, NATS];
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Provides the Containerfile's base images: pulled, or built locally under their names if no registry is reachable.
 * Resolves to which.
 */
export async function ensureBases(): Promise<string> {
  if ((await Promise.all(ALL.map(exists))).every(Boolean)) return 'left by an earlier run';
  const refused = await podman('pull', '--quiet', ...ALL).then(() => null, (error: Error) => error);
  if (!refused) return 'pulled';
  try {
    await ensureDebianPackages('debootstrap', 'debian-archive-keyring');
    if (!await exists(DEBIAN)) await inFolder(buildDebian);
    if (!await exists(NODE)) await inFolder(buildNode);
    await inFolder(buildNats);
  } catch (error) {
    throw new Error(`The base images can be neither pulled nor built.\n${refused.message}`, { cause: error });
  }
  return `made by debootstrap, with Node.js ${process.versions.node} and nats-server of this machine, as they cannot be pulled (${
    refused.message.split('\n').at(-1)})`;
}

function exists(image: string): Promise<boolean> {
  return podman('image', 'exists', image).then(() => true, () => false);
}

async function inFolder(build: (dir: string) => Promise<unknown>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-base-'));
  try {
    await build(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function buildDebian(dir: string): Promise<string> {
  return shell(`
    PATH=$PATH:/usr/sbin:/sbin
    debootstrap --variant=minbase bookworm ${dir}/tree
    tar -C ${dir}/tree -c . | podman import - ${DEBIAN}`);
}

/** Trusts the machine's authorities, and compiles with the headers of its Node.js if present. */
async function buildNode(dir: string): Promise<string> {
  const home = dirname(dirname(realpathSync(process.execPath)));
  const npm = (await shell('dirname $(dirname $(realpath $(command -v npm)))')).trim();
  mkdirSync(join(dir, 'node/bin'), { recursive: true });
  cpSync(process.execPath, join(dir, 'node/bin/node'), { dereference: true });
  cpSync(npm, join(dir, 'node/lib/node_modules/npm'), { recursive: true, dereference: true });
  const headers = join(home, 'include/node');
  if (existsSync(headers)) cpSync(headers, join(dir, 'node/include/node'), { recursive: true });
  if (existsSync(AUTHORITIES)) cpSync(AUTHORITIES, join(dir, 'node/authorities.crt'), { dereference: true });
  return podman('build', '--tag', NODE, '--file', join(import.meta.dirname, 'node.Containerfile'), dir);
}

/** The newest release from Go, without anything around it, like the image of that name. */
async function buildNats(dir: string): Promise<string> {
  await ensureNatsPrograms((line) => process.stdout.write(`${line}\n`));
  cpSync(natsPrograms().newest?.path ?? '', join(dir, 'nats-server'), { dereference: true });
  return shell(`tar -C ${dir} -c nats-server | podman import --change 'ENTRYPOINT ["/nats-server"]' - ${NATS}`);
}
