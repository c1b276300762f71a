import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../../shared/log.ts';
import { writeFileSafely } from '../../../shared/write-file-safely.ts';
import type { BusIdentities, BusUser } from './identities-port.ts';

/** In the same folder as the file of probes. */
const SUBSCRIBERS_FILE = 'subscribers.conf';
/** JetStream only runs while there are subscribers. */
const WITH_JETSTREAM = 'include "jetstream.conf"\n';

export interface NatsUsersFiles {
  /** Included in account PROBES by the server's configuration. */
  file: string;
  /** The server writes it at each start. */
  pidFile: string;
}

/**
 * Writes the user files of a nats-server on this machine: replaces each atomically, then sends one SIGHUP. A
 * stopped server reads the files when it starts.
 */
export class NatsUsersFile implements BusIdentities {
  readonly #files: NatsUsersFiles;
  readonly #log: Log;
  /** Pid of the server that has loaded the current files. */
  #reloadedPid: number | null = null;

  constructor(files: NatsUsersFiles, log: Log) {
    this.#files = files;
    this.#log = log;
  }

  /** Rejects if a file can't be written. The server disconnects users who are no longer listed. */
  async publish(users: BusUser[]): Promise<boolean> {
    const { file, pidFile } = this.#files;
    const subscribersFile = join(dirname(file), SUBSCRIBERS_FILE);
    await this.#replace(file, probesFileContent(users));
    await this.#replace(subscribersFile, subscribersFileContent(users));
    const pid = await readPid(pidFile);
    if (pid === null || pid === this.#reloadedPid || !(await isNatsServer(pid))) return true;
    try {
      process.kill(pid, 'SIGHUP');
      this.#reloadedPid = pid;
    } catch (error) {
      this.#log.warn({ err: error, server_pid: pid }, 'could not notify the NATS server of its users');
    }
    return true;
  }

  /** No-op: the server knows only the files, which a single controller writes. */
  invalidate(): void {}

  async #replace(file: string, content: string): Promise<void> {
    const present = await readFile(file, 'utf8').catch(() => null);
    if (present === content) return;
    await writeFileSafely(file, content);
    this.#reloadedPid = null;
    this.#log.info({ file }, 'NATS user file written');
  }
}

/** The users of account PROBES. */
export function probesFileContent(users: readonly BusUser[]): string {
  return `users: ${listOf(users.filter(({ account }) => account === 'PROBES'))}\n`;
}

/** The variable with the users of account SUBSCRIBERS, and JetStream if there are any. */
export function subscribersFileContent(users: readonly BusUser[]): string {
  const subscribers = users.filter(({ account }) => account === 'SUBSCRIBERS');
  return `${subscribers.length > 0 ? WITH_JETSTREAM : ''}subscribers: ${listOf(subscribers)}\n`;
}

/** One line per user, sorted by key, so that the same users give the same bytes. */
function listOf(users: readonly BusUser[]): string {
  if (users.length === 0) return '[]';
  const entries = [...users]
    .sort((a, b) => (a.public_key < b.public_key ? -1 : 1))
    .map(({ public_key: nkey, permissions }) => `${JSON.stringify({ nkey, permissions })},\n`);
  return `[\n${entries.join('')}]`;
}

async function readPid(pidFile: string): Promise<number | null> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  return Number.isInteger(pid) && pid > 1 ? pid : null;
}

/** A stale pid file may name an unrelated process, which SIGHUP would kill. */
async function isNatsServer(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  return command === null ? process.platform !== 'linux' : command.includes('nats-server');
}
