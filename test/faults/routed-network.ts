import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { until } from '../helpers/until.ts';

const PORT = 8080;
const SERVER = `require('http').createServer((request, response) => response.end('ok')).listen(${PORT}, '0.0.0.0')`;

/**
 * A router and hosts that are only reachable through it, in network namespaces. Each has a web server. Needs
 * root.
 */
export class RoutedNetwork {
  readonly #router = `fwr${randomInt(1e6)}`;
  readonly #hosts = `fwh${randomInt(1e6)}`;
  readonly #near = `10.${randomInt(64, 250)}.${randomInt(250)}`;
  readonly #far = `10.${randomInt(64, 250)}.${randomInt(250)}`;
  readonly #servers: ChildProcess[] = [];
  /** The URLs of the hosts' servers. */
  readonly hosts: readonly string[];

  private constructor(hosts: number) {
    this.hosts = Array.from({ length: hosts }, (_, at) => `http://${this.#addressOf(at)}:${PORT}/`);
  }

  /** At most 250 hosts. */
  static async open(hosts: number): Promise<RoutedNetwork> {
    const network = new RoutedNetwork(hosts);
    try {
      network.#connect();
      for (let at = 0; at < hosts; at += 1) network.restore(at);
      await Promise.all([network.router, ...network.hosts].map((url) => until(
        async () => (await fetch(url)).ok, { what: `${url} responds` },
      )));
      return network;
    } catch (error) {
      network.close();
      throw error;
    }
  }

  /** The URL of the router's own server. */
  get router(): string {
    return `http://${this.#near}.2:${PORT}/`;
  }

  /** The router loses all its connections. */
  die(): void {
    run(`ip netns exec ${this.#router} ip link set near down`);
  }

  revive(): void {
    run(`ip netns exec ${this.#router} ip link set near up`);
  }

  /** Takes the address of a host away. */
  destroy(at: number): void {
    run(`ip netns exec ${this.#hosts} ip addr del ${this.#addressOf(at)}/32 dev lo`);
  }

  restore(at: number): void {
    run(`ip netns exec ${this.#hosts} ip addr add ${this.#addressOf(at)}/32 dev lo`);
  }

  close(): void {
    for (const server of this.#servers) server.kill('SIGKILL');
    for (const name of [this.#router, this.#hosts]) {
      try {
        run(`ip netns del ${name}`);
      } catch {
        // It was never created.
      }
    }
  }

  #addressOf(at: number): string {
    return `${this.#far}.${at + 1}`;
  }

  #connect(): void {
    const [near, far, outside] = [this.#near, this.#far, `${this.#router}o`];
    for (const name of [this.#router, this.#hosts]) run(`ip netns add ${name}`);
    const router = (command: string) => run(`ip netns exec ${this.#router} ${command}`);
    const hosts = (command: string) => run(`ip netns exec ${this.#hosts} ${command}`);
    run(`ip link add ${outside} type veth peer name near netns ${this.#router}`);
    run(`ip link add far netns ${this.#router} type veth peer name near netns ${this.#hosts}`);
    run(`ip addr add ${near}.1/30 dev ${outside}`);
    run(`ip link set ${outside} up`);
    router(`ip addr add ${near}.2/30 dev near`);
    router(`ip addr add ${far}.253/30 dev far`);
    hosts(`ip addr add ${far}.254/30 dev near`);
    for (const link of ['lo', 'near', 'far']) router(`ip link set ${link} up`);
    for (const link of ['lo', 'near']) hosts(`ip link set ${link} up`);
    router(`ip route add ${far}.0/24 via ${far}.254`);
    hosts(`ip route add default via ${far}.253`);
    run(`ip route add ${far}.0/24 via ${near}.2`);
    const within = (name: string, ...command: string[]) => ['ip', 'netns', 'exec', name, ...command] as const;
    const [program, ...args] = within(this.#router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward');
    execFileSync(program, args);
    for (const name of [this.#router, this.#hosts]) {
      const [, ...rest] = within(name, process.execPath, '-e', SERVER);
      this.#servers.push(spawn(program, rest, { stdio: 'ignore' }));
    }
  }
}

function run(command: string): void {
  const [program = '', ...args] = command.split(' ');
  execFileSync(program, args, { stdio: 'pipe' });
}
