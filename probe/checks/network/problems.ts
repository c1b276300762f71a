import type { ErrorType, MissedReason } from '../../../shared/contracts/result.ts';
import { failure, missed, printable, type Finding } from '../check.ts';
import { NO_ROUTE } from './own-route.ts';

/** The phase a connection reached; also the layer of its failure. */
export type Phase = 'connect' | 'tls' | 'response';

/** Whose fault it is: the target's, or the probe's own, which never counts against the target. */
type Problem = { kind: 'target'; type: ErrorType; message: string } | {
  kind: 'own';
  reason: MissedReason;
};

/** Out of sockets, ports or memory: too many checks at once. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAGAIN']);
/** This machine has no route, or its packet filter blocks it. */
const CUT_OFF = new Set([NO_ROUTE, 'ENETDOWN', 'EPERM']);

const SENTENCES: Readonly<Record<string, string>> = Object.freeze({
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by the server',
  EHOSTUNREACH: 'The host is unreachable',
  ENETUNREACH: 'A router reports that the network is unreachable',
  EPIPE: 'Connection closed by the server',
  CLOSED: 'Connection closed before a response arrived',
  EACCES: 'Connection not permitted',
});

/** The server's alert, or our error about the version it chose. */
const NO_COMMON_VERSION = new Set(['tlsv1 alert protocol version', 'unsupported protocol']);

/** What a check was doing in a phase, worded for users. `awaited`: what it waits for once connected. */
export function activityIn(phase: Phase, awaited: string): string {
  if (phase === 'connect') return 'connecting';
  return phase === 'tls' ? 'in the TLS handshake' : `waiting for ${awaited}`;
}

/** Of two consecutive attempts at addresses of a host, the one to report. */
export function moreInformative<Attempt extends { failed: { phase: Phase; code: string } | null }>(
  first: Attempt | null, second: Attempt,
): Attempt {
  if (first === null || second.failed?.phase !== 'connect') return second;
  // A probe without IPv6 can't judge a host that refuses IPv4 connections.
  return first.failed !== null && isOwnFault(first.failed.code) ? second : first;
}

/** Whether a connection's error code (errno or ours) is a fault of this machine. */
export function isOwnFault(code: string): boolean {
  return EXHAUSTED.has(code) || CUT_OFF.has(code);
}

/** The finding for a connection that failed with `code` (errno or ours) in `phase`. */
export function connectionFailure(
  { phase, code, message }: { phase: Phase; code: string; message: string }, known: Partial<Finding>,
): Finding {
  const problem = problemOf(phase, code, message);
  return problem.kind === 'own'
    ? missed(problem.reason)
    : failure(problem.type, phase, problem.message, known);
}

function problemOf(phase: Phase, code: string, message: string): Problem {
  if (EXHAUSTED.has(code)) return { kind: 'own', reason: 'overload' };
  if (CUT_OFF.has(code)) return { kind: 'own', reason: 'probe_unhealthy' };
  if (code === 'ETIMEDOUT') return target('timeout', 'Connection timed out');
  if (code === 'BAD_RESPONSE') return target('connection_error', message);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) {
    return target('ssl_error', `TLS failed: ${reasonOf(message)}`);
  }
  if (phase === 'tls') return target('ssl_error', `TLS failed: ${(SENTENCES[code] ?? code).toLowerCase()}`);
  return target('connection_error', SENTENCES[code] ?? `Connection failed (${printable(code)})`);
}

function target(type: ErrorType, message: string): Problem {
  return { kind: 'target', type, message };
}

/** OpenSSL's line is `id:error:code:library::reason:file:line:`; only the reason is readable. */
function reasonOf(message: string): string {
  const parts = message.split(':');
  const reason = parts.length > 5 ? (parts[5] as string) : message;
  return NO_COMMON_VERSION.has(reason) ? 'the server does not accept TLS 1.2 or 1.3' : printable(reason);
}
