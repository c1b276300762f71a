import type { ErrorType, MissedReason } from '../../../shared/contracts/result.ts';
import { printable } from '../check.ts';
import type { Phase } from './exchange.ts';

/** A deadline noticed this much too late shows that the probe stood still, ms. */
export const STALL_MS = 500;

/** Whose fault it is: the target's, or the probe's own (which never counts against the target). */
export type Problem = { kind: 'target'; type: ErrorType; message: string } | {
  kind: 'own';
  reason: MissedReason;
};

/** Out of sockets, ports or memory: too much at once. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAGAIN']);
/** No way out of this machine at all. */
const CUT_OFF = new Set(['ENETUNREACH', 'ENETDOWN']);

const SENTENCES: Readonly<Record<string, string>> = Object.freeze({
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by the server',
  EHOSTUNREACH: 'The host is unreachable',
  EPIPE: 'Connection closed by the server',
  CLOSED: 'Connection closed before an answer came',
  EACCES: 'Connection not permitted',
});

/** What an exchange that ended with `code` (errno or ours) in `phase` says about the target. */
export function exchangeProblem(phase: Phase, code: string, message: string): Problem {
  if (EXHAUSTED.has(code)) return { kind: 'own', reason: 'overload' };
  if (CUT_OFF.has(code)) return { kind: 'own', reason: 'probe_unhealthy' };
  if (code === 'ETIMEDOUT') return target('timeout', 'Connection timed out');
  if (code === 'BAD_RESPONSE') return target('connection_error', `Not a valid HTTP answer: ${message}`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) {
    return target('ssl_error', `TLS failed: ${reasonOf(message)}`);
  }
  if (phase === 'tls') return target('ssl_error', `TLS failed: ${(SENTENCES[code] ?? code).toLowerCase()}`);
  return target('connection_error', SENTENCES[code] ?? `Connection failed (${printable(code)})`);
}

function target(type: ErrorType, message: string): Problem {
  return { kind: 'target', type, message };
}

/** OpenSSL's line is `id:error:code:library::reason:file:line:`; the reason is what a person can use. */
function reasonOf(message: string): string {
  const parts = message.split(':');
  return printable(parts.length > 5 ? (parts[5] as string) : message);
}

/** A sentence for the error code of a name lookup. */
export function dnsProblem(code: string, host: string): string {
  const name = printable(host).slice(0, 255);
  if (code === 'ENOTFOUND') return `The name ${name} does not exist`;
  if (code === 'ENODATA') return `The name ${name} has no address`;
  if (code === 'ETIMEOUT') return `The name servers did not answer for ${name}`;
  if (code === 'ESERVFAIL') return `The name servers failed for ${name}`;
  if (code === 'EREFUSED') return `The name servers refused to answer for ${name}`;
  return `The name ${name} could not be looked up (${printable(code)})`;
}
