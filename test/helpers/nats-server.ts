import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUser } from 'nkeys.js';
import { jetStreamConfig, NATS_FILES, natsConfig } from '../../deploy/quickstart/servers/nats-config.ts';
import { respondsAsNats } from '../../deploy/quickstart/servers/nats-server.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { Certificate } from './certificate.ts';
import { natsPrograms, type NatsVersion } from './nats-programs.ts';
import { until } from './until.ts';

export interface TestNats {
  url: string;
  version: string;
  /** File with the nkey seed of the controller's user, for NATS_CREDS. */
  controllerCreds: string;
  controllerSeed: string;
  usersFile: string;
  pidFile: string;
  pid(): number;
  /** Writes probes to the users file, as a controller does; resolves when the server has reloaded it. */
  setUsers(users: readonly object[]): Promise<void>;
  /** The same for subscribers, with JetStream. */
  setSubscribers(users: readonly object[]): Promise<void>;
  /** The server's log so far. */
  log(): string;
  kill9(): Promise<void>;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
  /** Restarts the server on the same port, keeping its stored data by default. */
  restart(options?: { wipe?: boolean }): Promise<void>;
}

export interface NatsOptions {
  version?: NatsVersion;
  tls?: Certificate;
  /** Runs JetStream from the start, as a server with subscribers does. */
  jetStream?: boolean;
  /** Modifies the quickstart's configuration. */
  configure?(text: string): string;
}

/** A real server with the quickstart's own configuration, on a free port, in its own directory. */
export async function startNats(options: NatsOptions = {}): Promise<TestNats> {
  const programs = natsPrograms();
  const program = options.version ? programs[options.version] : (programs.newest ?? programs.debian);
  if (!program) {
    throw new Error(`no nats-server (${options.version ?? 'any'}) on this machine; npm test installs one`);
  }
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-nats-'));
  const port = await freePort();
  const user = createUser();
  const controllerSeed = Buffer.from(user.getSeed()).toString();
  const files = {
    usersFile: join(dir, NATS_FILES.users), pidFile: join(dir, 'nats.pid'),
    controllerCreds: join(dir, 'controller.nk'),
  };
  const storeDir = join(dir, 'store');
  const address = { host: '127.0.0.1', port };
  writeFileSync(files.controllerCreds, `${controllerSeed}\n`);
  const subscribersFile = join(dir, NATS_FILES.subscribers);
  const withJetStream = `include "${NATS_FILES.jetStream}"\n`;
  writeFileSync(files.usersFile, 'users: []\n');
  writeFileSync(subscribersFile, `${options.jetStream ? withJetStream : ''}subscribers: []\n`);
  writeFileSync(join(dir, NATS_FILES.jetStream), jetStreamConfig(storeDir));
  const tls = options.tls ? writeCertificate(dir, options.tls) : null;
  const settings = { listen: address, tls, controllerKey: user.getPublicKey(), serverName: 'test' };
  const config = natsConfig({ ...settings, pidFile: files.pidFile });
  writeFileSync(join(dir, 'nats.conf'), options.configure?.(config) ?? config);

  let child: ChildProcess | null = null;
  let log = '';
  const start = async () => {
    const started =
      spawn(program.path, ['-c', join(dir, 'nats.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
    started.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child = started;
    const isSettled = async () => started.exitCode !== null || respondsAsNats(address);
    await until(isSettled, { what: `nats-server ${program.version} responds` });
    if (started.exitCode !== null) throw new Error(`nats-server ${program.version} ended:\n${log}`);
  };
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await ended;
  };
  const reload = async (file: string, content: string) => {
    const reloads = countReloads(log);
    writeFileSync(`${file}.tmp`, content);
    renameSync(`${file}.tmp`, file);
    process.kill(Number(readFileSync(files.pidFile, 'utf8')), 'SIGHUP');
    await until(() => countReloads(log) > reloads, { what: 'the server has reloaded its users' });
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    version: program.version,
    controllerSeed,
    ...files,
    pid: () => child?.pid ?? 0,
    setUsers: (users) => reload(files.usersFile, `users: ${listOf(users)}`),
    setSubscribers: (users) => reload(subscribersFile, `${withJetStream}subscribers: ${listOf(users)}`),
    log: () => log,
    kill9: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM');
      rmSync(dir, { recursive: true, force: true });
    },
    async restart({ wipe = false } = {}) {
      await end('SIGKILL');
      if (wipe) rmSync(storeDir, { recursive: true, force: true });
      await start();
    },
  };
}

function writeCertificate(dir: string, { cert, key }: Certificate): { certFile: string; keyFile: string } {
  const files = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
  return files;
}

function listOf(users: readonly object[]): string {
  return `[\n${users.map((one) => `${JSON.stringify(one)},\n`).join('')}]\n`;
}

function countReloads(log: string): number {
  return log.split('Reloaded server configuration').length;
}
