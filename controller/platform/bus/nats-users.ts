import { readFile } from 'node:fs/promises';
import type { Log } from '../../../shared/log.ts';
import { writeFileSafely } from '../../../shared/write-file-safely.ts';
import type { ProbeIdentities, ProbeUser } from '../../probes/ports.ts';

/** A probe answers a `run` within this, or the server drops its answer. */
const ANSWER_WITHIN = '60s';

export interface NatsUsersFiles {
  /** Included by the server's configuration inside account PROBES. */
  file: string;
  /** The server writes it at each start. */
  pidFile: string;
}

/**
 * Keeps the user file of a nats-server on this machine: replaced as a whole, then SIGHUP. A server that does
 * not run reads the file when it starts.
 */
export class NatsUsersFile implements ProbeIdentities {
  readonly #files: NatsUsersFiles;
  readonly #log: Log;
  /** The process that has reloaded the file as it is now. */
  #reloadedPid: number | null = null;

  constructor(files: NatsUsersFiles, log: Log) {
    this.#files = files;
    this.#log = log;
  }

  /** Rejects when the file cannot be written. */
  async publish(users: ProbeUser[]): Promise<void> {
    const content = usersFileContent(users);
    const present = await readFile(this.#files.file, 'utf8').catch(() => null);
    if (present !== content) {
      await writeFileSafely(this.#files.file, content);
      this.#reloadedPid = null;
      this.#log.info({ users: users.length }, 'NATS user file written');
    }
    const pid = await readPid(this.#files.pidFile);
    if (pid === null || pid === this.#reloadedPid || !(await isNatsServer(pid))) return;
    try {
      process.kill(pid, 'SIGHUP');
      this.#reloadedPid = pid;
    } catch (error) {
      this.#log.warn({ err: error, server_pid: pid }, 'NATS server not told of its users');
    }
  }
}

/** One line per probe in order of id, so that the same probes give the same bytes. */
export function usersFileContent(users: readonly ProbeUser[]): string {
  if (users.length === 0) return 'users: []\n';
  const entries = [...users]
    .sort((a, b) => (a._id < b._id ? -1 : 1))
    .map((user) => ({ nkey: user.public_key, permissions: probePermissions(user) }));
  return `users: [\n${entries.map((entry) => `${JSON.stringify(entry)},\n`).join('')}]\n`;
}

/** A probe may publish under its own region and id and receive its own orders; nothing else is allowed. */
export function probePermissions({ _id, region_id }: ProbeUser) {
  const address = `${region_id}.${_id}`;
  return {
    publish: {
      allow: [`results.*.${address}`, `sync.${address}`, `beat.${address}`, `evidence.${address}`],
    },
    subscribe: { allow: [`assign.${address}`, `run.${address}`, `_INBOX_${_id}.>`] },
    allow_responses: { max: 1, expires: ANSWER_WITHIN },
  };
}

async function readPid(pidFile: string): Promise<number | null> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  return Number.isInteger(pid) && pid > 1 ? pid : null;
}

/** A stale pid file may name an unrelated process, which a hangup would end. */
async function isNatsServer(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  return command === null ? process.platform !== 'linux' : command.includes('nats-server');
}
