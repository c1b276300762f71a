import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Clock } from '../../../shared/time.ts';

const CHECK_INTERVAL_MS = 2000;

/** The system's hosts file, reloaded when it changes. */
export class HostsFile {
  readonly #clock: Clock;
  readonly #path: string;
  #entries: ReadonlyMap<string, string[]> = new Map();
  #checkedAtMs = -Infinity;
  #stamp = '';

  constructor(clock: Clock, path = '/etc/hosts') {
    this.#clock = clock;
    this.#path = path;
  }

  /** Addresses of `name` in that family; empty if the file doesn't list it. */
  find(name: string, family: 4 | 6): string[] {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#checkedAtMs > CHECK_INTERVAL_MS) {
      this.#checkedAtMs = nowMs;
      this.#refresh();
    }
    return (this.#entries.get(name.toLowerCase()) ?? []).filter((address) => isIP(address) === family);
  }

  #refresh(): void {
    try {
      const { mtimeMs, size, ino } = statSync(this.#path);
      const stamp = `${mtimeMs}/${size}/${ino}`;
      if (stamp === this.#stamp) return;
      this.#entries = parseHosts(readFileSync(this.#path, 'utf8'));
      this.#stamp = stamp;
    } catch {
      // No hosts file.
      this.#entries = new Map();
      this.#stamp = '';
    }
  }
}

/** Names (lower case) and addresses in a hosts file (hosts(5)); ignores invalid lines. */
export function parseHosts(text: string): Map<string, string[]> {
  const entries = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = (line.split('#')[0] as string).trim().split(/\s+/);
    if (!address || isIP(address) === 0) continue;
    for (const name of names) {
      entries.set(name.toLowerCase(), [...(entries.get(name.toLowerCase()) ?? []), address]);
    }
  }
  return entries;
}
