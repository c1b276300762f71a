import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, createUser } from 'nkeys.js';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { calloutConfig } from './callout-server.ts';
import type { Certificate } from './certificate.ts';
import { filled, withSections } from './nats-examples.ts';
import { NatsProcess } from './nats-process.ts';
import { until } from './until.ts';

const SIZE = 3;
const ROUTE_PASSWORD = 'of-the-servers-alone';

export interface NatsCluster {
  /** All servers, separated by commas. */
  url: string;
  controllerCreds: string;
  /** Public keys of the controllers and of the issuer. */
  keys: { controller: string; issuer: string };
  /** The certificate, if any; for NODE_EXTRA_CA_CERTS. */
  certFile: string;
  size: number;
  /** Where other servers join the cluster. */
  routeUrl: string;
  kill9(at: number): Promise<void>;
  restart(at: number): Promise<void>;
  /** Ends a server like `nats-server --signal ldm`; resolves to the lines of its log about clients that had not left. */
  retire(at: number): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * A cluster of three servers with auth callout, as an operator would run it, with TLS if a certificate is given.
 * `configure` modifies each configuration.
 */
export async function startNatsCluster(
  tls: Certificate | null, configure = (text: string, _at: number) => text,
): Promise<NatsCluster> {
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
  const servers = ports.slice(0, SIZE).map((port, at) => {
    const member = asMember(calloutConfig(port, join(dir, `store-${at}`), keys), at, ports.slice(SIZE));
    return new NatsProcess(file(`server-${at}.conf`, `${configure(member, at)}${encrypted}`), port);
  });
  const kill9 = async (at: number) => servers[at]?.end();
  await Promise.all(servers.map((server) => server.start()));
  return {
    url: servers.map(({ url }) => (tls ? url.replace('nats://127.0.0.1', 'tls://localhost') : url)).join(','),
    controllerCreds: file('controller.nk', `${seeds.join('\n')}\n`), keys,
    certFile, size: SIZE, routeUrl: `nats://127.0.0.1:${ports[SIZE]}`, kill9,
    restart: async (at) => servers[at]?.start(),
    async retire(at) {
      const server = servers[at] as NatsProcess;
      const before = server.log.length;
      server.signal('SIGUSR2');
      await until(() => server.hasEnded, { what: 'the server ends' });
      return server.log.slice(before).split('\n').filter((line) => line.includes('Client connection closed: Server Shutdown'));
    },
    async stop() {
      await Promise.all(servers.map((server) => server.end()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The example with its commented cluster section enabled, with the addresses and password of this test. */
function asMember(example: string, at: number, ports: readonly number[]): string {
  const routes = ports.map((port) => `"nats://route:${ROUTE_PASSWORD}@127.0.0.1:${port}"`).join(', ');
  return filled(withSections(example, 'server_name', 'cluster'), {
    'server_name: "nats-1"': `server_name: "server-${at}"`, 'listen: "10.0.0.1:6222"': `listen: "127.0.0.1:${ports[at]}"`,
    ROUTE_PASSWORD,
  }).replace(/^( *routes: )\[.*\]$/m, `$1[${routes}]`);
}
