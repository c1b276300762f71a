import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, createUser, type KeyPair } from 'nkeys.js';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { calloutConfig } from './callout-server.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { startNatsCluster } from './nats-cluster.ts';
import { filled, natsExample, withSections } from './nats-examples.ts';
import { NatsProcess } from './nats-process.ts';

const GATEWAY_PASSWORD = 'of-the-sites-alone';

/** NATS servers at two places. */
export interface NatsSites {
  /** Where controllers connect. */
  url: string;
  controllerCreds: string;
  /** The other place, where probes and subscribers connect. */
  far: NatsProcess;
  /** Of a leaf node. */
  leaf: {
    /** Seed of its user in account EDGE, and at the leaf node in PROBES. */
    seed: string;
    /** Where it connects to the hub. */
    hubUrl: string;
    /** Its list of probes, if it has its own. */
    usersFile: string;
  } | null;
  /** Cuts the link between the places. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

interface LeafOptions {
  /** Whose subscribers connect there. */
  organization?: string;
  /** It lists its probes in a file instead of asking the controllers. */
  hasOwnUsers?: boolean;
}

/** A hub and a leaf node for the probes of region `edge`. */
export async function startLeaf({ organization = '*', hasOwnUsers = false }: LeafOptions = {}): Promise<NatsSites> {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-leaf-'));
  const [controller, issuer] = [createUser(), createAccount()];
  const [probes, system, subscribers] = [createUser(), createUser(), createUser()];
  const [port, leafPort, farPort] = [await freePort(), await freePort(), await freePort()];
  const link = await startFaultProxy({ port: leafPort });
  const controllerCreds = join(dir, 'controller.nk');
  writeFileSync(controllerCreds, `${seedOf(controller)}\n${seedOf(issuer)}\n`);
  const keys = { controller: controller.getPublicKey(), issuer: issuer.getPublicKey() };
  const leafKeys = [probes, system, subscribers].map((pair) => pair.getPublicKey()).join(', ');
  const example = withSections(
    calloutConfig(port, join(dir, 'store'), keys), 'leafnodes', 'users', '{ service', '{ stream', 'EDGE',
  );
  writeFileSync(join(dir, 'hub.conf'), filled(example, {
    'auth_users: [': `auth_users: [ ${leafKeys},`,
    'listen: "0.0.0.0:7422"': `listen: "127.0.0.1:${leafPort}", advertise: "127.0.0.1:${link.port}"`,
    LEAF_KEY: probes.getPublicKey(), LEAF_SYSTEM_KEY: system.getPublicKey(),
    LEAF_SUBSCRIBERS_KEY: subscribers.getPublicKey(), ORGANIZATION: organization,
  }));
  const usersFile = join(dir, 'probes.conf');
  writeFileSync(usersFile, 'users: []\n');
  const leaf = withSections(natsExample('nats-leaf.conf'), '{ urls', 'SUBSCRIBERS', ...(hasOwnUsers ? ['include'] : []));
  writeFileSync(join(dir, 'leaf.conf'), filled(hasOwnUsers ? withoutCallout(leaf) : leaf, {
    'host: "0.0.0.0"': 'host: "127.0.0.1"', 'port: 4222': `port: ${farPort}`,
    'hub.example.com:7422': `127.0.0.1:${link.port}`,
    LEAF_SEED: seedOf(probes), LEAF_SYSTEM_SEED: seedOf(system), LEAF_SUBSCRIBERS_SEED: seedOf(subscribers),
    ...(hasOwnUsers ? {} : { LEAF_KEY: probes.getPublicKey(), ISSUER_ACCOUNT_KEY: keys.issuer }),
  }));
  const [hub, far] = [new NatsProcess(join(dir, 'hub.conf'), port), new NatsProcess(join(dir, 'leaf.conf'), farPort)];
  await Promise.all([hub.start(), far.start()]);
  return {
    url: hub.url, controllerCreds, far, leaf: { seed: seedOf(probes), hubUrl: `nats://127.0.0.1:${link.port}`, usersFile },
    cut() {
      link.drop();
      link.reset();
    },
    mend: () => link.heal(),
    async stop() {
      await Promise.all([hub.end(), far.end(), link.close()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A cluster of three at site A and a server at site B, connected by gateways. */
export async function startGateways(): Promise<NatsSites> {
  const [toA, toB, farPort] = [await freePort(), await freePort(), await freePort()];
  const [aLink, bLink] = [await startFaultProxy({ port: toA }), await startFaultProxy({ port: toB })];
  const gateway = (
    text: string, [own, other]: [string, string], port: number, advertised: number, otherPort: number,
  ) => filled(withSections(text, 'gateway'), {
    'name: site-b, urls': `name: ${other}, urls`, '10.1.0.1:7222': `127.0.0.1:${otherPort}`,
    'name: site-a, listen: "10.0.0.1:7222"': `name: ${own}, listen: "127.0.0.1:${port}", advertise: "127.0.0.1:${advertised}"`,
    GATEWAY_PASSWORD,
  });
  // All servers of site A announce one address, so that every connection to it can be cut.
  const ports = [toA, await freePort(), await freePort()];
  const cluster = await startNatsCluster(null, (text, at) => gateway(
    filled(text, { 'name: farwatch': 'name: site-a' }), ['site-a', 'site-b'], ports[at] ?? 0, aLink.port, bLink.port,
  ));
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-site-'));
  const example = calloutConfig(farPort, join(dir, 'store'), cluster.keys);
  writeFileSync(join(dir, 'b.conf'), gateway(
    example.replace(/^jetstream .*\n/m, ''), ['site-b', 'site-a'], toB, bLink.port, aLink.port,
  ));
  const far = new NatsProcess(join(dir, 'b.conf'), farPort);
  await far.start();
  return {
    url: cluster.url, controllerCreds: cluster.controllerCreds, far, leaf: null,
    cut() {
      for (const link of [aLink, bLink]) {
        link.drop();
        link.reset();
      }
    },
    mend() {
      for (const link of [aLink, bLink]) link.heal();
    },
    async stop() {
      await Promise.all([cluster.stop(), far.end(), aLink.close(), bLink.close()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** What the example says to remove for a leaf node with its own list of probes. */
function withoutCallout(example: string): string {
  return example.replace(/^authorization \{\n.*\n\}\n/m, '').replace(/^ *users: .*LEAF_KEY.*\n/m, '');
}

function seedOf(pair: KeyPair): string {
  return Buffer.from(pair.getSeed()).toString();
}
