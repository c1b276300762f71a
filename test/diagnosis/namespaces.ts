import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const DIRECTORY = '/run/netns';
const NAME = /^fwn(\d+)-/;

/** Network namespaces of this process, isolated from this machine's network. Needs root, iproute2 and nftables. */
export class Namespaces {
  readonly #prefix = `fwn${process.pid}-`;
  readonly #names: readonly string[];

  /** Also removes the namespaces of processes that were killed. */
  constructor(names: readonly string[]) {
    this.#names = names;
    removeAbandoned();
    ip([], names.map((name) => `netns add ${this.#of(name)}`));
  }

  /** Why this machine cannot have them; null if it can. */
  static whyNot(): string | null {
    if (process.platform !== 'linux') return 'network namespaces need Linux';
    if (process.getuid?.() !== 0) return 'network namespaces need root';
    try {
      const probe = new Namespaces(['try']);
      try {
        probe.link('try', 'one', 'try', 'two');
        probe.filter('try', ['chain lossy { type filter hook forward priority 0; meta length > 1300 drop; }']);
        return null;
      } finally {
        probe.close();
      }
    } catch (error) {
      const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
      return code === 'ENOENT' ? 'ip or nft is not installed' : `no network namespaces: ${stderr || message}`;
    }
  }

  /** Connects two namespaces with interfaces of these names. */
  link(from: string, fromInterface: string, to: string, toInterface: string): void {
    ip([], [
      `link add name ${fromInterface} netns ${this.#of(from)} type veth peer name ${toInterface} netns ${this.#of(to)}`,
    ]);
  }

  /** Runs commands of `ip` in a namespace. */
  ip(name: string, commands: readonly string[]): void {
    ip(['-n', this.#of(name)], commands);
  }

  /** Replaces all packet filters of a namespace. */
  filter(name: string, chains: readonly string[]): void {
    const table = chains.length === 0 ? '' : `table inet outage {\n${chains.join('\n')}\n}`;
    this.#within(name, ['nft', '-f', '-'], `flush ruleset\n${table}\n`);
  }

  setKernel(name: string, settings: readonly string[]): void {
    this.#within(name, ['sysctl', '-qw', ...settings]);
  }

  /** Starts Node.js in a namespace. */
  node(name: string): readonly string[] {
    return ['ip', 'netns', 'exec', this.#of(name), process.execPath];
  }

  close(): void {
    for (const name of this.#names) remove(this.#of(name));
  }

  #within(name: string, command: readonly string[], input = ''): void {
    run(['ip', 'netns', 'exec', this.#of(name), ...command], input);
  }

  #of(name: string): string {
    return this.#prefix + name;
  }
}

function ip(options: readonly string[], commands: readonly string[]): void {
  run(['ip', ...options, '-batch', '-'], `${commands.join('\n')}\n`);
}

function run([program = '', ...args]: readonly string[], input = ''): string {
  return execFileSync(program, args, { input, stdio: 'pipe', encoding: 'utf8' });
}

function removeAbandoned(): void {
  for (const name of namespaces()) {
    const owner = Number(NAME.exec(name)?.[1] ?? 0);
    if (owner > 0 && !isRunning(owner)) remove(name);
  }
}

function namespaces(): string[] {
  try {
    return readdirSync(DIRECTORY);
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Also ends processes that are left in it: a suspended one does not end with its parent. */
function remove(name: string): void {
  try {
    for (const pid of run(['ip', 'netns', 'pids', name]).split('\n')) {
      if (pid !== '') process.kill(Number(pid), 'SIGKILL');
    }
    run(['ip', 'netns', 'del', name]);
  } catch {
    // Another process was faster, or it was never created.
  }
}
