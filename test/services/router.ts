import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

/**
 * A router in a separate network namespace, with hosts behind it. Needs root. `prefix` is that of its
 * addresses; `.1` behind it responds, `.9` drops everything, and it has no route to `.5`. This machine
 * itself has no route to `.4`.
 */
export class Router {
  readonly #name = `fw${randomInt(1e6)}`;
  readonly #near = `10.${randomInt(64, 250)}.${randomInt(250)}`;
  readonly #far = `10.${randomInt(64, 250)}.${randomInt(250)}`;

  static start(): Router {
    const router = new Router();
    try {
      router.#connect();
      return router;
    } catch (error) {
      router.stop();
      throw error;
    }
  }

  /** Its own address, the source of the errors that it returns. */
  get address(): string {
    return `${this.#near}.2`;
  }

  readonly hosts = {
    responding: `${this.#far}.1`, beyond: `${this.#far}.6`, prohibited: `${this.#far}.7`,
    unreachable: `${this.#far}.8`, silent: `${this.#far}.9`, lost: `${this.#far}.5`, unrouted: `${this.#far}.4`,
  };

  stop(): void {
    for (const undo of [`ip netns del ${this.#name}`, `ip rule del to ${this.hosts.unrouted}`]) {
      try {
        run(undo);
      } catch {
        // It was never created.
      }
    }
  }

  #connect(): void {
    const [name, near, far] = [this.#name, this.#near, this.#far];
    run(`ip netns add ${name}`);
    run(`ip link add ${name}a type veth peer name ${name}b netns ${name}`);
    run(`ip addr add ${near}.1/30 dev ${name}a`);
    run(`ip link set ${name}a up`);
    const within = (command: string): void => run(`ip netns exec ${name} ${command}`);
    within('ip link set lo up');
    within(`ip link set ${name}b up`);
    within(`ip addr add ${near}.2/30 dev ${name}b`);
    within(`ip addr add ${this.hosts.responding}/32 dev lo`);
    within(`ip route add ${this.hosts.beyond} via ${near}.1`);
    within(`ip route add prohibit ${this.hosts.prohibited}`);
    within(`ip route add unreachable ${this.hosts.unreachable}`);
    within(`ip route add blackhole ${this.hosts.silent}`);
    within('sh -c "echo 1 > /proc/sys/net/ipv4/ip_forward"');
    run(`ip route add ${far}.0/24 via ${near}.2`);
    run(`ip rule add to ${this.hosts.unrouted} unreachable`);
  }
}

function run(command: string): void {
  const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => (match[1] ?? match[2]) as string);
  execFileSync(args[0] as string, args.slice(1), { stdio: 'pipe' });
}
