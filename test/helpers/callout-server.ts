import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, createUser } from 'nkeys.js';
import { answersAsNats } from '../../deploy/quickstart/nats-server.ts';
import { freePort } from '../../deploy/quickstart/ports.ts';
import type { RigNats } from './fleet-rig.ts';
import { natsPrograms } from './nats-programs.ts';
import { until } from './until.ts';

/**
 * A server that authenticates probes by auth callout, as in production; null if this machine has none from
 * 2.10 on.
 */
export async function startCalloutServer(): Promise<RigNats | null> {
  const program = natsPrograms().newest;
  if (!program) return null;
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-callout-'));
  const port = await freePort();
  const [user, issuer] = [createUser(), createAccount()];
  const controllerCreds = join(dir, 'controller.nk');
  const text = (seed: Uint8Array) => Buffer.from(seed).toString();
  writeFileSync(controllerCreds, `${text(user.getSeed())}\n${text(issuer.getSeed())}\n`);
  writeFileSync(
    join(dir, 'nats.conf'), config(port, join(dir, 'store'), user.getPublicKey(), issuer.getPublicKey()),
  );
  const child = spawn(program.path, ['-c', join(dir, 'nats.conf')], { stdio: 'ignore' });
  await until(() => answersAsNats({ host: '127.0.0.1', port }), { what: 'nats-server answers' });
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

function config(port: number, storeDir: string, controllerKey: string, issuerKey: string): string {
  return `
host: "127.0.0.1"
port: ${port}
jetstream { store_dir: ${JSON.stringify(storeDir)} }
system_account: SYS
accounts {
  SYS {
    exports: [
      { service: "$SYS.REQ.SERVER.*.KICK", accounts: [CONTROL] }
      { service: "$SYS.REQ.SERVER.PING.CONNZ", response: stream, accounts: [CONTROL] }
    ]
  }
  CONTROL {
    jetstream: enabled
    users: [ { nkey: ${controllerKey} } ]
    exports: [
      { service: "results.>", accounts: [PROBES] }
      { service: "sync.>", accounts: [PROBES] }
      { service: "beat.>", accounts: [PROBES] }
      { service: "evidence.>", accounts: [PROBES] }
    ]
    imports: [
      { service: { account: SYS, subject: "$SYS.REQ.SERVER.*.KICK" }, to: "nats.kick.*" }
      { service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.CONNZ" }, to: "nats.connections" }
      { service: { account: PROBES, subject: "assign.>" } }
      { service: { account: PROBES, subject: "run.>" } }
    ]
  }
  PROBES {
    exports: [
      { service: "assign.>", accounts: [CONTROL] }
      { service: "run.>", accounts: [CONTROL] }
    ]
    imports: [
      { service: { account: CONTROL, subject: "results.>" } }
      { service: { account: CONTROL, subject: "sync.>" } }
      { service: { account: CONTROL, subject: "beat.>" } }
      { service: { account: CONTROL, subject: "evidence.>" } }
    ]
  }
}
authorization { auth_callout { issuer: ${issuerKey}, auth_users: [ ${controllerKey} ], account: CONTROL } }
`;
}
