import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, createUser } from 'nkeys.js';
import { respondsAsNats } from '../../deploy/quickstart/servers/nats-server.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { calloutConfig } from './callout-server.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import type { RigNats } from './fleet-rig.ts';
import { natsPrograms } from './nats-programs.ts';
import { until } from './until.ts';

const GATEWAY_PASSWORD = 'of-the-sites-alone';

/** Two connected NATS servers, with the operators' examples as configuration. */
export interface NatsSites extends RigNats {
  /** The other server: the leaf node, or the one at site B. */
  farUrl: string;
  /** Between the servers. */
  link: FaultProxy;
  /** Ends and restarts the other server. */
  restartFar(): Promise<void>;
  farLog(): string;
  hubLog(): string;
}

/** A hub and a leaf node for the probes of region `edge` and the subscribers of an organization. */
export async function startLeaf(organization: string): Promise<NatsSites> {
  const [probes, system, subscribers] = [createUser(), createUser(), createUser()];
  const leafPort = await freePort();
  const isForHub = (text: string) => text
    .replace('0.0.0.0:7422', `127.0.0.1:${leafPort}`)
    .replace(/auth_users: \[ (\S+) \]/, `auth_users: [ $1, ${[probes, system, subscribers].map((key) => key.getPublicKey()).join(', ')} ]`)
    .replaceAll('LEAF_KEY', probes.getPublicKey())
    .replaceAll('LEAF_SYSTEM_KEY', system.getPublicKey())
    .replaceAll('LEAF_SUBSCRIBERS_KEY', subscribers.getPublicKey())
    .replaceAll('ORGANIZATION', organization);
  const sections = ['leafnodes', 'users', '{ service: "$SYS.REQ.USER.AUTH"', '{ service: { account: CONTROL, subject: "$SYS.REQ.USER.AUTH"'];
  return startSites(leafPort, {
    near: (text) => isForHub(withSections(text, sections)),
    far: (port, linkPort, issuer) => withSections(exampleOf('nats-leaf.conf'), ['{ urls', 'SUBSCRIBERS'])
      .replace('host: "0.0.0.0"', 'host: "127.0.0.1"')
      .replace('port: 4222', `port: ${port}`)
      .replaceAll('hub.example.com:7422', `127.0.0.1:${linkPort}`)
      .replace('LEAF_SEED', seedOf(probes))
      .replace('LEAF_SYSTEM_SEED', seedOf(system))
      .replace('LEAF_SUBSCRIBERS_SEED', seedOf(subscribers))
      .replaceAll('LEAF_KEY', probes.getPublicKey())
      .replace('ISSUER_ACCOUNT_KEY', issuer),
  });
}

/** A server at each of two sites, connected by gateways. */
export async function startGateways(): Promise<NatsSites> {
  const [a, b] = [await freePort(), await freePort()];
  const gateway = (text: string, own: string, port: number, other: string, otherPort: number) =>
    withSections(text, ['gateway'])
      .replace('name: site-a, listen: "10.0.0.1:7222"', `name: ${own}, listen: "127.0.0.1:${port}"`)
      .replace('name: site-b', `name: ${other}`)
      .replace('10.1.0.1:7222', `127.0.0.1:${otherPort}`)
      .replaceAll('GATEWAY_PASSWORD', GATEWAY_PASSWORD);
  return startSites(a, {
    near: (text) => gateway(text, 'site-a', a, 'site-b', b),
    far: (port, linkPort, _issuer, text) => gateway(text(port), 'site-b', b, 'site-a', linkPort).replace(/^jetstream .*$/m, ''),
  });
}

interface Configs {
  near(example: string): string;
  /** `linkPort` leads to the near server. */
  far(port: number, linkPort: number, issuer: string, example: (port: number) => string): string;
}

async function startSites(linkedPort: number, { near, far }: Configs): Promise<NatsSites> {
  const program = natsPrograms().newest;
  if (!program) throw new Error('no nats-server from 2.10 on');
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-sites-'));
  const [nearPort, farPort, link] = [await freePort(), await freePort(), await startFaultProxy({ port: linkedPort })];
  const [user, issuer] = [createUser(), createAccount()];
  const keys = { controller: user.getPublicKey(), issuer: issuer.getPublicKey() };
  const controllerCreds = join(dir, 'controller.nk');
  writeFileSync(controllerCreds, `${seedOf(user)}\n${seedOf(issuer)}\n`);
  const example = (port: number) => calloutConfig(port, join(dir, 'store'), keys);
  writeFileSync(join(dir, 'near.conf'), near(example(nearPort)));
  writeFileSync(join(dir, 'far.conf'), far(farPort, link.port, keys.issuer, example));
  const children = new Map<string, ChildProcess>();
  const logs = { near: '', far: '' };
  const start = async (name: 'near' | 'far', port: number) => {
    const child = spawn(program.path, ['-c', join(dir, `${name}.conf`)], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => (logs[name] += chunk.toString()));
    children.set(name, child);
    const isSettled = async () => child.exitCode !== null || respondsAsNats({ host: '127.0.0.1', port });
    await until(isSettled, { what: `nats-server ${name} responds` });
    if (child.exitCode !== null) throw new Error(`nats-server ${name} ended:\n${logs[name]}`);
  };
  const end = async (name: string) => {
    const child = children.get(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  await Promise.all([start('near', nearPort), start('far', farPort)]);
  return {
    url: `nats://127.0.0.1:${nearPort}`, farUrl: `nats://127.0.0.1:${farPort}`, controllerCreds, users: null, link,
    farLog: () => logs.far,
    hubLog: () => logs.near,
    async restartFar() {
      await end('far');
      await start('far', farPort);
    },
    async stop() {
      await Promise.all([end('near'), end('far')]);
      await link.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function seedOf(pair: { getSeed(): Uint8Array }): string {
  return Buffer.from(pair.getSeed()).toString();
}

function exampleOf(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../deploy/examples', name), 'utf8');
}

/** The example with its commented sections enabled that start with one of these. */
function withSections(example: string, starts: readonly string[]): string {
  let depth = 0;
  return example.split('\n').map((line) => {
    const [, indent = '', text = ''] = /^( *)# (.*)$/.exec(line) ?? [];
    if (depth === 0 && !starts.some((start) => text.startsWith(`${start} `) || text.startsWith(`${start}:`) || text.startsWith(start))) return line;
    depth += text.split(/[[{]/).length - text.split(/[\]}]/).length;
    return `${indent}${text}`;
  }).join('\n');
}
