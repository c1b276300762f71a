import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/** A control group with little memory, like a container's. The kernel kills one of its processes to stay below it. */
export class MemoryLimit {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Null if this user must not create one: only root may, and not in every container. */
  static create(bytes: number): MemoryLimit | null {
    const isVersion1 = existsSync(join(ROOT, 'memory/memory.limit_in_bytes'));
    const dir = join(ROOT, isVersion1 ? 'memory' : '', `farwatch-bench-${process.pid}`);
    try {
      if (!isVersion1) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+memory');
      mkdirSync(dir);
      writeFileSync(join(dir, isVersion1 ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
      return new MemoryLimit(dir);
    } catch {
      return null;
    }
  }

  /** Runs a program, and all that it starts, within the limit. */
  around(program: string, ...args: string[]): [string, ...string[]] {
    return ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(this.#dir, 'cgroup.procs'), program, ...args];
  }

  /** Once its processes have ended. */
  remove(): void {
    rmdirSync(this.#dir);
  }
}
