import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../../../shared/log.ts';
import type { ProbeIdentities, ProbeUser } from '../../probes/probe.ts';

/** A probe answers a `run` within this, or the server drops its answer. */
const ANSWER_WITHIN = '60s';

export interface NatsUsersFiles {
  /** Included by the server's configuration inside account PROBES. */
  file: string;
  /** Written by the server itself, anew at each of its starts. */
  pidFile: string;
}

/**
 * Keeps the user file of a nats-server on this machine: written whole, renamed into place, then SIGHUP. A server that
 * does not run reads the file when it starts.
 */
export class NatsUsersFile implements ProbeIdentities {
  readonly #files: NatsUsersFiles;
  readonly #log: Log;
  /** The process that is known to have been told of the file as it is; null: none. */
  #toldPid: number | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(files: NatsUsersFiles, log: Log) {
    this.#files = files;
    this.#log = log;
  }

  /** One after the other, in the order of the calls. Rejects when the file cannot be written. */
  publish(users: ProbeUser[]): Promise<void> {
    const turn = this.#last.then(() => this.#publish(users));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #publish(users: ProbeUser[]): Promise<void> {
    const content = usersFileContent(users);
    const present = await readFile(this.#files.file, 'utf8').catch(() => null);
    if (present !== content) {
      await replaceFile(this.#files.file, content);
      this.#toldPid = null;
      this.#log.info({ users: users.length }, 'NATS user file written');
    }
    const pid = await readPid(this.#files.pidFile);
    if (pid === null || pid === this.#toldPid || !(await isNatsServer(pid))) return;
    try {
      process.kill(pid, 'SIGHUP');
      this.#toldPid = pid;
    } catch (error) {
      this.#log.warn({ err: error, server_pid: pid }, 'NATS server not told of its users');
    }
  }
}

/** Content of the user file: one line per probe in order of id, so that the same probes give the same bytes. */
export function usersFileContent(users: readonly ProbeUser[]): string {
  if (users.length === 0) return 'users: []\n';
  const lines = [...users].sort((a, b) => (a.probe_id < b.probe_id ? -1 : 1)).map((user) => `${JSON.stringify(userEntry(user))},\n`);
  return `users: [\n${lines.join('')}]\n`;
}

/** What a probe may do, by allow-lists only: speak under its own region and id, hear its own orders. */
export function probePermissions(user: Pick<ProbeUser, 'region' | 'probe_id'>) {
  const address = `${user.region}.${user.probe_id}`;
  return {
    publish: { allow: [`results.*.${address}`, `sync.${address}`, `beat.${address}`] },
    subscribe: { allow: [`assign.${address}`, `run.${address}`, `_INBOX_${user.probe_id}.>`] },
    allow_responses: { max: 1, expires: ANSWER_WITHIN },
  };
}

function userEntry(user: ProbeUser) {
  return { nkey: user.public_key, permissions: probePermissions(user) };
}

async function replaceFile(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
  const directory = await open(dirname(file), 'r');
  await directory.sync().finally(() => directory.close());
}

async function readPid(pidFile: string): Promise<number | null> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number(text.trim());
  return Number.isInteger(pid) && pid > 1 ? pid : null;
}

/** A stale pid file may name a process that has nothing to do with us, and a hangup would end it. */
async function isNatsServer(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  if (command !== null) return command.includes('nats-server');
  return process.platform !== 'linux';
}
