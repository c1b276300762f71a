import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFile } from '../bundle.mjs';
import { makeCertificate } from '../helpers/certificate.ts';
import type { NameRecords, Zones } from './hub.ts';
import { LineProcess } from './line-process.ts';
import { Namespaces } from './namespaces.ts';
import type { HostState } from './target-host.ts';

/**
 *   osaka ── r1 ── r2 ── edge ──┬── a
 *             │  ╱  │     │     ├── b      hub: the installation and the name servers of the regions,
 *   paris ────┼─╯  hub    │     ╰── c           connected to each router; it also has the parked page
 *             ╰───  │     │
 *   lima ────────── r3 ───╯
 */
export const REGIONS = ['osaka', 'paris', 'lima'] as const;
export type Region = (typeof REGIONS)[number];
export const HOSTS = ['a', 'b', 'c'] as const;
export type Host = (typeof HOSTS)[number];
export const ROUTERS = ['r1', 'r2', 'r3'] as const;
export type Node = Region | Host | (typeof ROUTERS)[number] | 'edge' | 'hub';
const NODES: readonly Node[] = [...REGIONS, ...HOSTS, ...ROUTERS, 'edge', 'hub'];

export type Family = 4 | 6;
/** The networks of the target's hosts, the probes, and what the probes depend on. */
export const NETWORKS = {
  target: { 4: '10.73.0.0/24', 6: 'fd73::/64' }, hub: { 4: '10.72.0.0/24', 6: 'fd72::/64' },
  osaka: { 4: '10.71.1.0/24', 6: 'fd71:1::/64' }, paris: { 4: '10.71.2.0/24', 6: 'fd71:2::/64' },
  lima: { 4: '10.71.3.0/24', 6: 'fd71:3::/64' },
} as const;
export const ADDRESSES = {
  a: { 4: '10.73.0.10', 6: 'fd73::10' }, b: { 4: '10.73.0.11', 6: 'fd73::11' }, c: { 4: '10.73.0.12', 6: 'fd73::12' },
} as const;
export const PROBES = { osaka: '10.71.1.2', paris: '10.71.2.2', lima: '10.71.3.2' } as const;
export const INSTALLATION = { host: '10.72.0.10', port: 4222 } as const;
/** A web server that has nothing to do with the target, and an address at which nothing responds. */
export const PARKED = '10.72.0.9';
export const UNUSED = '10.72.0.8';
/** Two per region; probes use the second only if the first does not respond or fails. */
export const NAME_SERVERS = {
  osaka: ['10.72.0.11', '10.72.0.12'], paris: ['10.72.0.21', '10.72.0.22'], lima: ['10.72.0.31', '10.72.0.32'],
} as const;
const ALL_NAME_SERVERS = Object.values(NAME_SERVERS).flat();

/** The first node of a link has address 1 of network 10.71.n.0/24, the second one 2. */
const LINKS: readonly (readonly [Node, Node, n: number])[] = [
  ['r1', 'osaka', 1], ['r2', 'paris', 2], ['r3', 'lima', 3], ['r1', 'r2', 12], ['r2', 'edge', 20],
  ['r3', 'edge', 30], ['r1', 'hub', 41], ['r2', 'hub', 42], ['r3', 'hub', 43],
];
/** Next hops. */
const ROUTES: Partial<Record<Node, Partial<Record<keyof typeof NETWORKS | 'default', Node>>>> = {
  osaka: { default: 'r1' }, paris: { default: 'r2' }, lima: { default: 'r3' },
  r1: { target: 'r2', hub: 'hub', paris: 'r2', lima: 'hub' },
  r2: { target: 'edge', hub: 'hub', osaka: 'r1', lima: 'hub' },
  r3: { target: 'edge', hub: 'hub', osaka: 'hub', paris: 'hub' },
  edge: { osaka: 'r2', paris: 'r2', lima: 'r3', hub: 'r2' },
  hub: { target: 'r2', osaka: 'r1', paris: 'r2', lima: 'r3' },
};
const DEFAULT = { 4: '0.0.0.0/0', 6: '::/0' } as const;
const FORWARDING = ['net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'];
/** ICMP is not limited, so that no outage depends on the one before. */
const KERNEL = [
  'net.ipv4.icmp_ratemask=0', 'net.ipv6.icmp.ratelimit=0', 'net.ipv4.conf.all.rp_filter=0',
  'net.ipv4.conf.default.rp_filter=0', 'net.ipv6.conf.default.accept_dad=0', 'net.ipv6.conf.all.accept_dad=0',
];

const SHOP = 'shop.farwatch.test';
const HOUR_MS = 3_600_000;
const names = [SHOP, 'one.farwatch.test', 'two.farwatch.test', 'blog.farwatch.test'];
/** So many names that a handshake needs large packets. */
const manyNames = [...names, ...Array.from({ length: 80 }, (_, at) => `branch-${at}.farwatch.test`)];

export const CERTIFICATES = {
  valid: makeCertificate({ names: manyNames }),
  expired: makeCertificate({ names: manyNames, notBefore: Date.now() - 99 * HOUR_MS, notAfter: Date.now() - HOUR_MS }),
  future: makeCertificate({ names: manyNames, notBefore: Date.now() + HOUR_MS, notAfter: Date.now() + 99 * HOUR_MS }),
  otherName: makeCertificate({ names: ['parked.test'] }),
} as const;

const records = (...hosts: Host[]): NameRecords => (
  { ipv4: hosts.map((host) => ADDRESSES[host][4]), ipv6: hosts.map((host) => ADDRESSES[host][6]) }
);
export const RECORDS = {
  [SHOP]: records('a', 'b'), 'one.farwatch.test': records('a'), 'two.farwatch.test': records('b'),
  'blog.farwatch.test': records('c'),
};
const HEALTHY: HostState = {
  certificate: CERTIFICATES.valid, certificate6: CERTIFICATES.valid, status: 200, forbidden: null,
};

/** Probes, routers and targets in network namespaces. What breaks them is undone by `heal`. */
export class Network {
  readonly #namespaces = new Namespaces(NODES);
  readonly #undo: (() => void)[] = [];
  readonly #unplugged = new Set<Node>();
  readonly #filters = new Map<Node, string[]>();
  readonly #hosts = new Map<Host | 'parked', LineProcess>();
  readonly #zones: Zones = {};
  readonly #directory = mkdtempSync(join(tmpdir(), 'farwatch-network-'));
  /** File of the certificates that probes trust. */
  readonly authorities = join(this.#directory, 'authorities.pem');
  #hub: LineProcess | null = null;
  #program = '';

  static async open(): Promise<Network> {
    const network = new Network();
    try {
      network.#connect();
      await network.#serve();
      await network.heal();
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  /** Starts a program of Node.js in a region. */
  node(region: Region): readonly string[] {
    return this.#namespaces.node(region);
  }

  /** A router handles the packets to a network like this. */
  route(node: Node, kind: 'blackhole' | 'unreachable' | 'prohibit', to: string): void {
    this.#reroute(node, `${kind} ${to}`);
  }

  /** Sends packets for a part of a network to another node. */
  misroute(node: Node, to: string, by: Node): void {
    this.#reroute(node, `${to} via ${addressOf(node, by, to.includes(':') ? 6 : 4)}`);
  }

  /** Adds rules (nftables) to what a node sends, receives and forwards. */
  filter(node: Node, ...rules: string[]): void {
    const all = [...(this.#filters.get(node) ?? []), ...rules];
    this.#filters.set(node, all);
    const chain = (hook: string) => `chain ${hook} { type filter hook ${hook} priority 0; ${all.join('; ')}; }`;
    this.#namespaces.filter(node, ['input', 'forward', 'output'].map(chain));
  }

  /** Unplugs one end of a cable. The node at the other end keeps its addresses. */
  unplug(node: Node, from: Node | 'lan'): void {
    this.#namespaces.ip(node, [`link set dev ${from} down`]);
    this.#undo.push(() => this.#namespaces.ip(node, [`link set dev ${from} up`]));
    this.#unplugged.add(node);
  }

  /** What the name servers of these regions say from now on, or only the first of each region. */
  async setRecords(
    regions: readonly Region[], name: keyof typeof RECORDS, change: Partial<NameRecords>, onlyFirst = false,
  ): Promise<void> {
    const servers = regions.flatMap((region) => (onlyFirst ? NAME_SERVERS[region].slice(0, 1) : NAME_SERVERS[region]));
    for (const server of servers) (this.#zones[server] ??= {})[name] = { ...RECORDS[name], ...change };
    await this.#hub?.ask(this.#zones);
  }

  async setHost(host: Host | 'parked', change: Partial<HostState>): Promise<void> {
    await this.#hosts.get(host)?.ask({ ...HEALTHY, ...change });
  }

  /** The server of a host still accepts connections and does nothing with them. */
  suspend(host: Host): void {
    this.#hosts.get(host)?.suspend();
    this.#undo.push(() => this.#hosts.get(host)?.resume());
  }

  async heal(): Promise<void> {
    for (const undo of this.#undo.splice(0).toReversed()) undo();
    for (const node of this.#unplugged) this.#address(node);
    this.#unplugged.clear();
    for (const node of this.#filters.keys()) this.#namespaces.filter(node, []);
    this.#filters.clear();
    for (const node of [...ROUTERS, 'edge'] as const) this.#namespaces.ip(node, ['neigh flush all']);
    for (const server of ALL_NAME_SERVERS) this.#zones[server] = { ...RECORDS };
    await Promise.all([
      this.#hub?.ask(this.#zones), ...HOSTS.map((host) => this.setHost(host, {})),
      this.setHost('parked', { certificate: CERTIFICATES.otherName, status: 404 }),
    ]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values(), ...(this.#hub ? [this.#hub] : [])].map((process) => process.stop()));
    this.#namespaces.close();
    rmSync(this.#program, { force: true });
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #reroute(node: Node, route: string): void {
    this.#namespaces.ip(node, [`route add ${route}`]);
    this.#undo.push(() => this.#namespaces.ip(node, [`route del ${route}`]));
  }

  #connect(): void {
    for (const node of NODES) {
      const isRouter = node === 'edge' || node === 'hub' || ROUTERS.includes(node as 'r1');
      this.#namespaces.setKernel(node, [...KERNEL, ...(isRouter ? FORWARDING : [])]);
    }
    for (const [one, other] of LINKS) this.#namespaces.link(one, other, other, one);
    for (const host of HOSTS) this.#namespaces.link('edge', host, host, 'edge');
    this.#namespaces.ip('edge', [
      'link add lan type bridge', ...HOSTS.flatMap((host) => [`link set dev ${host} master lan`, `link set dev ${host} up`]),
      'link set dev lan up',
    ]);
    for (const node of NODES) {
      this.#namespaces.ip(node, ['lo', ...linksOf(node)].map((one) => `link set dev ${one} up`));
      this.#address(node);
    }
    this.#namespaces.ip('hub', [`route add blackhole ${UNUSED}`]);
  }

  /** Interfaces that were down have lost addresses and routes. */
  #address(node: Node): void {
    this.#namespaces.ip(node, [...addressesOf(node), ...routesOf(node)]);
  }

  async #serve(): Promise<void> {
    writeFileSync(this.authorities, Object.values(CERTIFICATES).map(({ cert }) => cert).join(''));
    const [program, hub] =
      await Promise.all([bundleFile('test/diagnosis/target-host.ts'), bundleFile('test/diagnosis/hub.ts')]);
    this.#program = program;
    for (const host of HOSTS) this.#hosts.set(host, new LineProcess([...this.#namespaces.node(host), program]));
    this.#hosts.set('parked', new LineProcess([...this.#namespaces.node('hub'), program]));
    this.#hub = new LineProcess([
      ...this.#namespaces.node('hub'), hub, String(INSTALLATION.port), ...ALL_NAME_SERVERS,
    ]);
    await this.#hub.ask({});
    rmSync(hub, { force: true });
  }
}

function linksOf(node: Node): Node[] {
  if (HOSTS.includes(node as Host)) return ['edge'];
  return LINKS.flatMap(([one, other]) => (one === node ? [other] : other === node ? [one] : []));
}

/** The address of `peer` on its link with `node`. */
function addressOf(node: Node, peer: Node, family: Family): string {
  const [first, , n] = LINKS.find((link) => link.includes(node) && link.includes(peer)) as (typeof LINKS)[number];
  const last = first === peer ? 1 : 2;
  return family === 4 ? `10.71.${n}.${last}` : `fd71:${n}::${last}`;
}

function addressesOf(node: Node): string[] {
  const onLinks = LINKS.filter(([one, other]) => one === node || other === node).flatMap(([one, other]) => {
    const peer = one === node ? other : one;
    return ([[4, 24], [6, 64]] as const).map(([family, bits]) => `${addressOf(peer, node, family)}/${bits} dev ${peer}`);
  });
  const own = node === 'edge'
    ? ['10.73.0.1/24 dev lan', 'fd73::1/64 dev lan']
    : HOSTS.includes(node as Host)
      ? [`${ADDRESSES[node as Host][4]}/24 dev edge`, `${ADDRESSES[node as Host][6]}/64 dev edge`]
      : node === 'hub'
        ? [INSTALLATION.host, PARKED, ...ALL_NAME_SERVERS].map((address) => `${address}/32 dev lo`)
        : [];
  return [...onLinks, ...own].map((address) => `addr replace ${address}`);
}

function routesOf(node: Node): string[] {
  if (HOSTS.includes(node as Host)) {
    return [`route replace ${DEFAULT[4]} via 10.73.0.1`, `route replace ${DEFAULT[6]} via fd73::1`];
  }
  return Object.entries(ROUTES[node] ?? {}).flatMap(([to, by]) => ([4, 6] as const).map((family) => {
    const network = to === 'default' ? DEFAULT[family] : NETWORKS[to as keyof typeof NETWORKS][family];
    return `route replace ${network} via ${addressOf(node, by, family)}`;
  }));
}
