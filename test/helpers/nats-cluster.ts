import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, createUser } from 'nkeys.js';
import { respondsAsNats } from '../../deploy/quickstart/servers/nats-server.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { calloutConfig } from './callout-server.ts';
import type { Certificate } from './certificate.ts';
import { natsPrograms } from './nats-programs.ts';
import { until } from './until.ts';

const SIZE = 3;
const ROUTE_PASSWORD = 'of-the-servers-alone';

export interface NatsCluster {
  /** All servers, separated by commas. */
  url: string;
  controllerCreds: string;
  /** The certificate, if any; for NODE_EXTRA_CA_CERTS. */
  certFile: string;
  size: number;
  /** Where other servers join the cluster. */
  routeUrl: string;
  kill9(at: number): Promise<void>;
  restart(at: number): Promise<void>;
  stop(): Promise<void>;
}

/** A cluster of three servers with auth callout, as an operator would run it, with TLS if a certificate is given. */
export async function startNatsCluster(tls: Certificate | null): Promise<NatsCluster> {
  const program = natsPrograms().newest;
  if (!program) throw new Error('no nats-server from 2.10 on');
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-cluster-'));
  const file = (name: string, content = ''): string => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  const ports: number[] = [];
  while (ports.length < 2 * SIZE) ports.push(await freePort());
  const [user, issuer] = [createUser(), createAccount()];
  const seeds = [user, issuer].map((pair) => Buffer.from(pair.getSeed()).toString());
  const keys = { controller: user.getPublicKey(), issuer: issuer.getPublicKey() };
  const certFile = file('cert.pem', tls?.cert);
  const encrypted = tls ? `tls { cert_file: "${certFile}", key_file: "${file('key.pem', tls.key)}" }\n` : '';
  const configs = ports.slice(0, SIZE).map((port, at) => file(
    `server-${at}.conf`,
    `${asMember(calloutConfig(port, join(dir, `store-${at}`), keys), at, ports.slice(SIZE))}${encrypted}`,
  ));
  const children: ChildProcess[] = [];
  const restart = async (at: number) => {
    children[at] = spawn(program.path, ['-c', String(configs[at])], { stdio: 'ignore' });
    await until(() => respondsAsNats({ host: '127.0.0.1', port: Number(ports[at]) }), { what: 'nats-server responds' });
  };
  const kill9 = async (at: number) => {
    const child = children[at];
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  await Promise.all(configs.map((_config, at) => restart(at)));
  return {
    url: ports.slice(0, SIZE).map((port) => `${tls ? 'tls://localhost' : 'nats://127.0.0.1'}:${port}`).join(','),
    controllerCreds: file('controller.nk', `${seeds.join('\n')}\n`),
    certFile, size: SIZE, routeUrl: `nats://127.0.0.1:${ports[SIZE]}`, kill9, restart,
    async stop() {
      await Promise.all(configs.map((_config, at) => kill9(at)));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The example with its commented cluster section enabled, with the addresses and password of this test. */
function asMember(example: string, at: number, ports: readonly number[]): string {
  const routes = ports.map((port) => `"nats://route:${ROUTE_PASSWORD}@127.0.0.1:${port}"`).join(', ');
  return example
    .replace(/^# (server_name: "nats-1"\n)# (cluster \{\n(?:#.*\n)*?)# (\}\n)/m, (_all, name: string, lines: string, end: string) =>
      `${name}${lines.replaceAll(/^# /gm, '')}${end}`)
    .replace('server_name: "nats-1"', `server_name: "server-${at}"`)
    .replace('"10.0.0.1:6222"', `"127.0.0.1:${ports[at]}"`)
    .replace(/^( *routes: )\[.*\]$/m, `$1[${routes}]`)
    .replaceAll('ROUTE_PASSWORD', ROUTE_PASSWORD);
}
