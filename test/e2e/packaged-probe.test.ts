import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPrograms } from '../../deploy/quickstart/servers/programs.ts';
import { FleetRig } from '../helpers/fleet-rig.ts';
import { until } from '../helpers/until.ts';

const HOME = join(import.meta.dirname, '../../deploy/probe');
const UNIT = join(HOME, 'farwatch-probe.service');
const UNPRIVILEGED_ID = 65_532;
/** The bit of CAP_NET_RAW in /proc/PID/status. */
const NET_RAW = (1n << 13n).toString(16).padStart(16, '0');
const has = (...names: string[]) => names.every((name) => findPrograms(name, process.env, ['/usr/sbin', '/sbin']).length > 0);
const mayChangeUser = process.getuid?.() === 0 && has('unshare', 'setpriv', 'capsh', 'setcap');

let rig: FleetRig;
let dir: string;
let built: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  rig = await FleetRig.start();
  await rig.controller();
  dir = mkdtempSync(join(tmpdir(), 'farwatch-package-'));
  chmodSync(dir, 0o755);
  built = join(dir, 'built');
  execFileSync(process.execPath, [join(HOME, 'build.mjs'), built]);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rig?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** An enrolled probe's directory, owned by `SOMEBODY`. */
async function identityIn(dataDir: string, name: string): Promise<string> {
  const { enrolment, user, box } = await rig.enrolled(name);
  const text = (seed: Uint8Array) => Buffer.from(seed).toString();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'identity.json');
  const seeds = { user_seed: text(user.getSeed()), box_seed: text(box.getSeed()) };
  writeFileSync(file, JSON.stringify({ v: 1, ...seeds, enrolment, controller_url: 'http://127.0.0.1:9' }), { mode: 0o600 });
  for (const path of [dataDir, file]) chownSync(path, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  return enrolment?.probe_id ?? '';
}

/** Runs a shell script that execs the probe; once it has connected, resolves to its user and capabilities. */
async function runs(script: string): Promise<{ child: ChildProcess; log: string; status: string }> {
  const child = spawn('unshare', ['--mount', '--', 'sh', '-ec', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await until(() => hasEnded() || log.includes('"msg":"connected"'), { what: 'the probe connects' });
  expect(hasEnded(), log).toBe(false);
  const pid = Number(/"pid":(\d+)/.exec(log)?.[1]);
  return { child, log, status: readFileSync(`/proc/${pid}/status`, 'utf8') };
}

function expectUnprivileged({ status, log }: { status: string; log: string }): void {
  expect(/^Uid:\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1)).toEqual([String(UNPRIVILEGED_ID), String(UNPRIVILEGED_ID)]);
  for (const kind of ['CapPrm', 'CapEff', 'CapBnd']) {
    expect(new RegExp(`^${kind}:\\s+(\\w+)`, 'm').exec(status)?.[1], kind).toBe(NET_RAW);
  }
  if (existsSync(join(built, 'node_modules/raw-socket'))) expect(log).toContain('"icmp":"raw-socket"');
}

async function stops(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}

test.runIf(has('systemd-analyze'))('systemd accepts the unit and rates its exposure as low', () => {
  const unit = join(dir, 'farwatch-probe.service');
  cpSync(UNIT, unit);
  expect(execFileSync('systemd-analyze', ['verify', unit], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })).toBe('');
  execFileSync('systemd-analyze', ['security', '--offline=yes', '--threshold=25', unit], { stdio: 'ignore' });
});

test.runIf(mayChangeUser)("the unit's command runs as an unprivileged user with only CAP_NET_RAW", async () => {
  const command = /^ExecStart=(.*)$/m.exec(readFileSync(UNIT, 'utf8'))?.[1] ?? '';
  const dataDir = join(dir, 'state');
  const id = await identityIn(dataDir, 'service');
  const installDir = '/opt/farwatch-probe';
  const node = /^\S+/.exec(command)?.[0] ?? '';
  const shown = await runs(`
    mount -t tmpfs none /opt
    mkdir ${installDir}
    mount --bind ${built} ${installDir}
    export DATA_DIR=${dataDir} PROBE_ARGUMENTS=
    exec setpriv --reuid=${UNPRIVILEGED_ID} --regid=${UNPRIVILEGED_ID} --clear-groups --no-new-privs \\
      --bounding-set=-all,+net_raw --inh-caps=-all,+net_raw --ambient-caps=-all,+net_raw \\
      ${existsSync(node) ? command : command.replace(node, process.execPath)}
  `);
  expectUnprivileged(shown);
  expect(shown.log).toContain(`"probe":"${id}"`);
  await stops(shown.child);
});

// Without a container engine and a base image, which `npm run packaging` uses: only the files of the image.
test.runIf(mayChangeUser)("the image's files suffice to run a probe without root", async () => {
  const image = join(dir, 'image');
  const file = readFileSync(join(HOME, 'Containerfile'), 'utf8');
  const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(file)?.[1] ?? '[]') as [string, string];
  const capability = /setcap (\S+) \/probe\/node/.exec(file)?.[1] ?? '';
  cpSync(built, join(image, 'probe'), { recursive: true });
  const node = join(image, entry[0]);
  cpSync(realpathSync(process.execPath), node);
  for (const path of librariesOf(node)) {
    mkdirSync(join(image, dirname(path)), { recursive: true });
    cpSync(realpathSync(path), join(image, path));
  }
  mkdirSync(join(image, 'proc'));
  execFileSync('setcap', [capability, node], { env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin` } });
  const id = await identityIn(join(image, 'data'), 'image');
  const user = /^USER (\d+):(\d+)$/m.exec(file)?.slice(1) ?? [];
  const shown = await runs(`
    PATH=$PATH:/usr/sbin:/sbin
    mount --bind ${image} ${image}
    mount -o remount,bind,ro ${image}
    mount -t proc none ${image}/proc
    mount --bind ${image}/data ${image}/data
    mount -o remount,bind,rw ${image}/data
    export DATA_DIR=/data
    all=$(sed -n 's/^CapBnd:\\s*//p' /proc/self/status)
    others=$(capsh --decode=$all | sed 's/.*=//; s/cap_net_raw,//')
    exec capsh --drop="$others" --chroot=${image} --gid=${user[1]} --uid=${user[0]} --shell=${entry[0]} -- ${entry[1]}
  `);
  expectUnprivileged(shown);
  expect(shown.log).toContain(`"probe":"${id}"`);
  await stops(shown.child);
});

test('packages run no install scripts while the image is built', () => {
  const file = readFileSync(join(HOME, 'Containerfile'), 'utf8');
  expect(file.match(/npm ci .*/g)).toEqual([expect.stringContaining('--ignore-scripts')]);
});

/** Absolute paths of the shared libraries that a program loads, with its loader. */
function librariesOf(program: string): string[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...new Set([...listed.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] as string))];
}
