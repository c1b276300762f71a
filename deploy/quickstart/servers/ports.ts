import { createServer } from 'node:net';
import process from 'node:process';
import type { HostAndPort } from '../../../shared/setting.ts';
import { takeNetworkLock } from '../machine-lock.mjs';
import { StartError } from '../start-error.ts';

const REASONS: Record<string, string> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have this address',
  ENOTFOUND: 'no such host',
};
const HOST_FAULTS = ['EADDRNOTAVAIL', 'ENOTFOUND'];

/**
 * Below the ephemeral range, from which the system could assign a port to an outgoing connection before the
 * caller listens on it, or while its process restarts.
 */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
/** Between the first ports of two processes with consecutive ids. */
const PORTS_APART = 61;
const MAX_ATTEMPTS = 100;

/** The host by which this machine reaches a server that listens on `host`. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Host and port for a URL on this machine. */
export function localAddress({ host, port }: HostAndPort): string {
  const local = reachableHost(host);
  return `${local.includes(':') ? `[${local}]` : local}:${port}`;
}

/** From another port in each process, so that two that start at once do not take the same one. */
function* portsInTurn(): Generator<number, never> {
  for (let at = process.pid * PORTS_APART; ; at += 1) yield FIRST_PORT + at % PORT_COUNT;
}

const candidates = portsInTurn();

/**
 * A free loopback port; `preferred` if that is one. On Linux, no other call here or in another process gets
 * it while this process runs, so what listens on it may start later, or again.
 */
export async function freePort(preferred: number | null = null): Promise<number> {
  if (preferred !== null && await reservePort(preferred)) return preferred;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const port = candidates.next().value;
    if (await reservePort(port)) return port;
  }
  const any = await bindPort('127.0.0.1', 0);
  if (any.port === undefined) throw new StartError(`No free port on 127.0.0.1 (${any.code})`);
  return any.port;
}

async function reservePort(port: number): Promise<boolean> {
  const lock = await takeNetworkLock(`port-${port}`);
  if (lock === null) return false;
  if (await listenFailure('127.0.0.1', port) === null) return true;
  await lock.release();
  return false;
}

/** Throws StartError, naming the variable to change, if the address can't be listened on. */
export async function requirePort(
  host: string, port: number, variables: { host: string; port: string },
): Promise<void> {
  const code = await listenFailure(host, port);
  if (code === null) return;
  const variable = HOST_FAULTS.includes(code) ? variables.host : variables.port;
  throw new StartError(
    `Cannot listen on ${host}, port ${port}: ${REASONS[code] ?? code}. Set ${variable} to another value.`,
  );
}

/** The error code of listening there; null if it is possible. */
export async function listenFailure(host: string, port: number): Promise<string | null> {
  return (await bindPort(host, port)).code ?? null;
}

function bindPort(host: string, port: number): Promise<{ port?: number; code?: string }> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? error.message }));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? { port: address.port } : {}));
    });
  });
}
