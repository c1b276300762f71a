import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

/**
 * Two addresses on this machine that represent remote places, and network namespaces that reach them, each
 * over its own uplink. Needs root.
 */
export class FencedNetwork {
  readonly #name = `fw${randomInt(1e6)}`;
  readonly #net = `10.${randomInt(64, 250)}`;
  readonly uplinks: Uplink[] = [];

  /** The addresses of NATS and of everything else. */
  get nats(): string {
    return `${this.#net}.255.1`;
  }

  get world(): string {
    return `${this.#net}.255.2`;
  }

  static open(uplinks: number): FencedNetwork {
    const network = new FencedNetwork();
    try {
      for (const address of [network.nats, network.world]) run(`ip addr add ${address}/32 dev lo`);
      for (let at = 0; at < uplinks; at += 1) {
        network.uplinks.push(new Uplink(`${network.#name}${at}`, `${network.#net}.${at}`));
      }
      return network;
    } catch (error) {
      network.close();
      throw error;
    }
  }

  /** Responds for `port` of the world like a router that has lost the route. Needs nftables. */
  loseRoute(port: number): void {
    run(`nft add table ip ${this.#name}`);
    run(`nft add chain ip ${this.#name} input { type filter hook input priority 0 ; }`);
    const packets = `ip daddr ${this.world} tcp dport ${port}`;
    run(`nft add rule ip ${this.#name} input ${packets} reject with icmp type net-unreachable`);
  }

  findRoute(): void {
    attempt(`nft delete table ip ${this.#name}`);
  }

  close(): void {
    this.findRoute();
    for (const uplink of this.uplinks) uplink.remove();
    for (const address of [this.nats, this.world]) attempt(`ip addr del ${address}/32 dev lo`);
  }
}

/** A namespace with one uplink. */
export class Uplink {
  readonly #name: string;
  readonly #gateway: string;
  /** Starts Node.js in the namespace. */
  readonly node: readonly string[];

  constructor(name: string, net: string) {
    this.#name = name;
    this.#gateway = `${net}.1`;
    this.node = ['ip', 'netns', 'exec', name, process.execPath];
    run(`ip netns add ${name}`);
    run(`ip link add ${name}a type veth peer name ${name}b netns ${name}`);
    run(`ip addr add ${net}.1/30 dev ${name}a`);
    run(`ip link set ${name}a up`);
    this.#within('ip link set lo up');
    this.#within(`ip link set ${name}b up`);
    this.#within(`ip addr add ${net}.2/30 dev ${name}b`);
    this.#within(`ip route add default via ${net}.1`);
  }

  /** Cuts all connections silently. */
  cut(): void {
    run(`ip link set ${this.#name}a down`);
  }

  mend(): void {
    run(`ip link set ${this.#name}a up`);
  }

  /** Makes one address unreachable. */
  block(address: string): void {
    this.#within(`ip route add unreachable ${address}/32`);
  }

  unblock(address: string): void {
    this.#within(`ip route del unreachable ${address}/32`);
  }

  /** Removes every route of the namespace except to this address. */
  keepRouteTo(address: string): void {
    this.#within(`ip route add ${address}/32 via ${this.#gateway}`);
    this.#within('ip route del default');
  }

  routeAll(address: string): void {
    this.#within(`ip route add default via ${this.#gateway}`);
    this.#within(`ip route del ${address}/32`);
  }

  /** Loses `percent` of the packets to and from an address, each at random. Needs nftables. */
  lose(percent: number, address: string): void {
    const lost = `numgen random mod 100 < ${percent} counter drop`;
    this.#within('nft add table ip loss');
    for (const [hook, field] of [['input', 'saddr'], ['output', 'daddr']] as const) {
      this.#within(`nft add chain ip loss ${hook} { type filter hook ${hook} priority 0 ; }`);
      this.#within(`nft add rule ip loss ${hook} ip ${field} ${address} ${lost}`);
    }
  }

  /** Ends all loss. Returns how many packets were lost. */
  loseNothing(): number {
    const rules = this.#within('nft list table ip loss');
    this.#within('nft delete table ip loss');
    return [...rules.matchAll(/counter packets (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  remove(): void {
    attempt(`ip netns del ${this.#name}`);
    attempt(`ip link del ${this.#name}a`);
  }

  #within(command: string): string {
    return run(`ip netns exec ${this.#name} ${command}`);
  }
}

function run(command: string): string {
  const [program = '', ...args] = command.split(' ');
  return execFileSync(program, args, { stdio: 'pipe', encoding: 'utf8' });
}

/** Runs a cleanup command, ignoring its failure. */
function attempt(command: string): void {
  try {
    run(command);
  } catch {
    // There was nothing to clean up.
  }
}
