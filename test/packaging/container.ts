import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';
import { startCalloutServer } from '../helpers/callout-server.ts';
import { until } from '../helpers/until.ts';
import { IMAGE, podman } from './podman.ts';

const RESTRICTED = ['--read-only', '--cap-drop', 'ALL'];

/** A container of the product's image. */
export class Container {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** `options` are Podman's, `args` the image's. */
  run(options: readonly string[], ...args: string[]): Promise<string> {
    return podman('run', '--detach', '--name', this.name, ...RESTRICTED, ...options, IMAGE, ...args);
  }

  log(): Promise<string> {
    return podman('logs', this.name);
  }

  inspect(field: string): Promise<string> {
    return podman('inspect', '--format', `'{{${field}}}'`, this.name);
  }

  async hasEnded(): Promise<boolean> {
    return await this.inspect('.State.Running') !== 'true';
  }

  /** Waits until its health check passes. */
  async healthy(): Promise<void> {
    const check = () => podman('healthcheck', 'run', this.name).then(() => true, () => false);
    await until(async () => await check() || await this.hasEnded(), { what: `${this.name} is healthy`, everyMs: 250 });
    if (await this.hasEnded()) throw new Error(`${this.name} has ended:\n${await this.log()}`);
  }
}

/** Runs a container that must end by itself; resolves to what it prints, and its exit code in the last line. */
export async function outputOf(options: readonly string[], ...args: string[]): Promise<string[]> {
  const run = ['run', '--rm', '--no-healthcheck', ...RESTRICTED, ...options, IMAGE, ...args, '2>&1'];
  return (await podman(...run, '|| echo "exit $?"')).split('\n');
}

export interface Backend {
  /** Settings of a controller, except for the credentials. */
  settings: { MONGODB_URL: string; NATS_URL: string };
  /** File with the credentials for NATS that any user can read. */
  credsFile: string;
  creds: string;
  stop(): Promise<void>;
}

/** A database and a NATS server as an operator runs them, on loopback. */
export async function startBackend(): Promise<Backend> {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-backend-'));
  const onError = (message: string, error: unknown): void => console.error(message, error);
  const mongo = await startEmbeddedMongo({ dir: join(dir, 'mongo'), port: 0, onError });
  const nats = await startCalloutServer();
  if (!nats) throw new Error('no nats-server from 2.10 on');
  const creds = readFileSync(nats.controllerCreds, 'utf8');
  const credsFile = join(dir, 'nats.creds');
  writeFileSync(credsFile, creds, { mode: 0o644 });
  chmodSync(dir, 0o755);
  return {
    settings: { MONGODB_URL: mongo.url.replace('/?', '/farwatch?'), NATS_URL: nats.url }, credsFile, creds,
    async stop() {
      await nats.stop();
      await mongo.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
