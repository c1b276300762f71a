import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createUser, fromSeed } from 'nkeys.js';
import type { ControllerConfig } from '../../../controller/config.ts';
import type { Environment } from '../../../shared/environment.ts';
import { isLoopback } from '../../../shared/net-guard.ts';
import type { HostAndPort } from '../../../shared/setting.ts';
import { jetStreamConfig, NATS_FILES, natsConfig } from './nats-config.ts';
import { findNatsServer, type NatsProgram } from './nats-program.ts';
import { freePort, localAddress, reachableHost, requirePort } from './ports.ts';
import type { ProcessSpec } from '../processes/process-spec.ts';
import type { Screen } from '../output/screen.ts';
import { StartError } from '../start-error.ts';

/** Older servers have known vulnerabilities that are exploitable over the network. */
const MIN_PUBLIC_VERSION = '2.10.27';
const STOP_TIMEOUT_MS = 800;
/** For a line that is not in the server's format, such as a configuration error. */
const UNKNOWN_LINE_LEVEL = 40;

export interface NatsServer {
  program: NatsProgram;
  address: HostAndPort;
  /** URL for processes on this machine. */
  url: string;
  seedFile: string;
  usersFile: string;
  pidFile: string;
  spec: ProcessSpec;
}

interface Options {
  dataDir: string;
  nats: ControllerConfig['nats'];
  env: Environment;
  screen: Screen;
}

/**
 * Finds a server and writes its files under `DATA_DIR/nats`. Keeps the port of the last start if it is free.
 */
export async function prepareNatsServer({ dataDir, nats, env, screen }: Options): Promise<NatsServer> {
  const isPublic = nats.listen !== null && !isLoopback(nats.listen.host);
  const program = await findProgram(isPublic, env, screen);
  const dir = join(dataDir, 'nats');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const address = nats.listen ?? { host: '127.0.0.1', port: await choosePort(dir) };
  if (nats.listen) {
    await requirePort(address.host, address.port, { host: 'NATS_LISTEN', port: 'NATS_LISTEN' });
  }
  const files = {
    seedFile: join(dir, 'controller.nk'), usersFile: join(dir, NATS_FILES.users), pidFile: join(dir, 'nats.pid'),
  };
  writeIfMissing(files.usersFile, 'users: []\n');
  writeIfMissing(join(dir, NATS_FILES.subscribers), 'subscribers: []\n');
  writeFileSync(join(dir, NATS_FILES.jetStream), jetStreamConfig(join(dir, 'store')), { mode: 0o600 });
  const configFile = join(dir, 'nats.conf');
  const controllerKey = controllerPublicKey(files.seedFile);
  const config = natsConfig({
    listen: address, tls: nats.tls, controllerKey, serverName: `farwatch-${controllerKey.slice(-8)}`,
    pidFile: files.pidFile,
  });
  writeFileSync(configFile, config, { mode: 0o600 });
  return {
    program, address, ...files, url: `nats://${localAddress(address)}`,
    spec: natsSpec(program.path, configFile, env),
  };
}

/** Resolves to true if a NATS server responds at this address. */
export function respondsAsNats({ host, port }: HostAndPort): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: reachableHost(host), port });
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString('latin1').startsWith('INFO '));
    });
    socket.once('error', () => resolve(false));
    socket.setTimeout(1000, () => {
      socket.destroy();
      resolve(false);
    });
  });
}

async function findProgram(isPublic: boolean, env: Environment, screen: Screen): Promise<NatsProgram> {
  const minVersion = isPublic ? MIN_PUBLIC_VERSION : null;
  try {
    return await findNatsServer({ env, minVersion, say: (line) => screen.say('info', line) });
  } catch (error) {
    if (!isPublic) throw error;
    throw new StartError(
      `NATS_LISTEN opens NATS to other machines, which needs nats-server ${MIN_PUBLIC_VERSION} or newer: older versions have known ` +
        `vulnerabilities that anyone who reaches the port could exploit.\n${(error as Error).message}`,
    );
  }
}

/** Only a placeholder until the controller replaces it. */
function writeIfMissing(file: string, content: string): void {
  if (!existsSync(file)) writeFileSync(file, content, { mode: 0o600 });
}

async function choosePort(dir: string): Promise<number> {
  const file = join(dir, 'port');
  const last = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const port = await freePort(last >= 1024 && last <= 65_535 ? last : null);
  writeFileSync(file, String(port));
  return port;
}

function controllerPublicKey(seedFile: string): string {
  if (existsSync(seedFile)) {
    return fromSeed(Buffer.from(readFileSync(seedFile, 'utf8').trim())).getPublicKey();
  }
  const user = createUser();
  writeFileSync(`${seedFile}.tmp`, `${Buffer.from(user.getSeed()).toString()}\n`, { mode: 0o600 });
  renameSync(`${seedFile}.tmp`, seedFile);
  return user.getPublicKey();
}

/** One processor suffices; with more, Go wakes the others for each message and several times a second. */
function natsSpec(program: string, configFile: string, env: Environment): ProcessSpec {
  return {
    role: 'nats-server', command: program, args: ['-c', configFile], env: { GOMAXPROCS: '1', ...env },
    hasChannel: false, stopTimeoutMs: STOP_TIMEOUT_MS, formatLine: asJson,
  };
}

const NATS_LEVELS: Record<string, number> = { WRN: 40, ERR: 50, FTL: 60 };

/**
 * Converts `[pid] 2026/01/02 03:04:05.678901 [WRN] text` to a JSON line like those of our own processes; null
 * below a warning.
 */
function asJson(line: string): string | null {
  const match = /^\[\d+\] \S+ \S+ \[(\w{3})\] (.*)$/.exec(line);
  const level = match ? NATS_LEVELS[match[1] ?? ''] : UNKNOWN_LINE_LEVEL;
  return level === undefined ? null : JSON.stringify({ level, name: 'nats-server', msg: match?.[2] ?? line });
}
