import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, createUser } from 'nkeys.js';
import { respondsAsNats } from '../../deploy/quickstart/servers/nats-server.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { RigNats } from './fleet-rig.ts';
import { natsPrograms } from './nats-programs.ts';
import { until } from './until.ts';

/** A server that authenticates probes by auth callout, as in production; null without nats-server 2.10 or newer. */
export async function startCalloutServer(configure = (text: string) => text): Promise<RigNats | null> {
  const program = natsPrograms().newest;
  if (!program) return null;
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-callout-'));
  const port = await freePort();
  const [user, issuer] = [createUser(), createAccount()];
  const controllerCreds = join(dir, 'controller.nk');
  const text = (seed: Uint8Array) => Buffer.from(seed).toString();
  writeFileSync(controllerCreds, `${text(user.getSeed())}\n${text(issuer.getSeed())}\n`);
  const keys = { controller: user.getPublicKey(), issuer: issuer.getPublicKey() };
  writeFileSync(join(dir, 'nats.conf'), configure(calloutConfig(port, join(dir, 'store'), keys)));
  const child = spawn(program.path, ['-c', join(dir, 'nats.conf')], { stdio: 'ignore' });
  await until(() => respondsAsNats({ host: '127.0.0.1', port }), { what: 'nats-server responds' });
  return {
    url: `nats://127.0.0.1:${port}`,
    controllerCreds,
    users: null,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The operators' example with the keys and paths of this test. */
export function calloutConfig(
  port: number, storeDir: string, keys: { controller: string; issuer: string },
): string {
  const example = readFileSync(join(import.meta.dirname, '../../deploy/examples/nats.conf'), 'utf8');
  return example
    .replace('host: "0.0.0.0"', 'host: "127.0.0.1"')
    .replace('port: 4222', `port: ${port}`)
    .replace('"/var/lib/nats"', JSON.stringify(storeDir))
    .replaceAll('CONTROLLER_USER_KEY', keys.controller)
    .replaceAll('ISSUER_ACCOUNT_KEY', keys.issuer);
}
