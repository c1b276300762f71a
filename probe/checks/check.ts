import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import type {
  CheckError, ErrorType, MissedReason, Timings, TlsFacts,
} from '../../shared/contracts/result.ts';
import type { Clock } from '../../shared/time.ts';
import type { Pinger } from './icmp/pinger.ts';
import type { Resolver } from './network/resolver.ts';
import type { SystemServers } from './network/system-servers.ts';
import type { Trust } from './tls/trust.ts';

/** Where a failure happened. */
export type ErrorLayer = NonNullable<CheckError['layer']>;

/** What a result may say of a TLS connection. Making the facts is costly, so the seal is compared first. */
export interface LazyTlsFacts {
  /** A number that changes with the facts. */
  readonly hash: number;
  facts(): TlsFacts;
}

/** What one check found. A failure is data: a check never rejects. */
export interface Finding {
  /** `missed` when the probe itself could not or must not check: never the target's fault. */
  outcome: 'success' | 'failure' | 'missed';
  degraded: boolean;
  response_time_ms: number | null;
  status_code: number | null;
  error: CheckError | null;
  missed: MissedReason | null;
  timings: Timings | null;
  remote_address: string | null;
  /** Of the connection that decided, if it came that far. */
  tls: LazyTlsFacts | null;
  detail: Record<string, unknown> | null;
  /** Of a success or a failure. Results do not carry this. */
  observed: ObservedResponse | null;
}

/** How much of what a target says a check keeps for people to look at, bytes. */
export const EXCERPT_BYTES = 4096;

/**
 * What a target showed to a check, as it came: nothing is concealed or made printable. To be read at once; it
 * may hold much more than it shows. One character per byte.
 */
export interface ObservedResponse {
  /** All addresses of the host that may be checked, in the order of trying. */
  readonly addresses: readonly string[];
  /** Status line and headers; null without an HTTP answer. */
  readonly head: string | null;
  /** The first EXCERPT_BYTES of the body, or of what a target said without HTTP; null if there is none. */
  readonly body: string | null;
}

/** What a check may use of the world. */
export interface CheckContext {
  clock: Clock;
  resolver: Resolver;
  /** Absent: those of the machine. */
  systemServers?: SystemServers;
  /** Whether a check may connect to this IP address. `allowPrivate`: what its assignment says. */
  allowAddress: (ip: string, allowPrivate?: boolean) => boolean;
  /** Whether private addresses are refused to a check, so that DNS checks reveal none. Absent: no. */
  refusesPrivate?: (allowPrivate?: boolean) => boolean;
  /** Of this software, for the User-Agent. */
  version: string;
  trust: Trust;
  /** Absent where this machine has no means to ping. */
  pinger?: Pinger | undefined;
}

/** One kind of check. `timeoutMs` bounds everything it does; `allowPrivate` is for `allowAddress`. */
export interface Check {
  readonly type: string;
  /** What beats announce; absent: the type. */
  readonly capabilities?: readonly string[];
  run(spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean): Promise<Finding>;
}

/** Makes a check once per probe, or several that share something. */
export type CheckFactory = (context: CheckContext) => Check | readonly Check[];

const EMPTY: Readonly<Finding> = Object.freeze({
  outcome: 'missed', degraded: false, response_time_ms: null, status_code: null, error: null, missed: null,
  timings: null, remote_address: null, tls: null, detail: null, observed: null,
});

/** A slot that was not run, with its reason. */
export function missed(reason: MissedReason): Finding {
  return { ...EMPTY, missed: reason };
}

/** A success with what is known. The HTTP check, which runs most, spells it out: that is faster. */
export function success(known: Partial<Finding>): Finding {
  return { ...EMPTY, ...known, outcome: 'success' };
}

/** A failure of the target, with whatever is known beside its kind. */
export function failure(
  type: ErrorType, layer: ErrorLayer, message: string, known: Partial<Finding> = {},
): Finding {
  return { ...EMPTY, ...known, outcome: 'failure', error: { type, layer, message: printable(message) } };
}

/**
 * Text from outside as it may stand in a message: one line, no control characters, at most 500 of its
 * characters.
 */
export function printable(text: string): string {
  return text.slice(0, 500).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

/**
 * As `printable`, at most `most` characters. Right behind a cut is always `…`: it shows that a secret may be
 * cut there, too.
 */
export function shortened(text: string, max: number): string {
  const shown = printable(text.slice(0, max));
  return text.length > max ? `${shown}…` : shown;
}
