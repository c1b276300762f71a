import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import type {
  CheckError, ErrorType, MissedReason, TargetFacts, Timings, TlsFacts,
} from '../../shared/contracts/result.ts';
import type { Clock } from '../../shared/time.ts';
import type { Pinger } from './icmp/pinger.ts';
import type { Resolver } from './network/resolver.ts';
import type { SystemServers } from './network/system-servers.ts';
import type { Trust } from './tls/trust.ts';

/** Where a check failed. */
export type ErrorLayer = NonNullable<CheckError['layer']>;

/** TLS facts for a result, built on demand because that is expensive. Compare `hash` first. */
export interface LazyTlsFacts {
  /** Changes when the facts do. */
  readonly hash: number;
  facts(): TlsFacts;
}

export type ResponseFacts = Required<Pick<TargetFacts, 'redirects' | 'headers'>>;

/** Facts about a target for a result, read on demand. Its hash is an integer that changes when they do. */
export interface LazyTargetFacts {
  /** The name that was looked up; null if the target is an address. */
  readonly name: string | null;
  /** Addresses of the name, in any order; none if the lookup failed or one of them must not be checked. */
  readonly nameAddresses: readonly string[];
  /** Of `responseFacts`; null without a complete response below 500. */
  readonly responseHash?: number | null;
  /** In full length. */
  responseFacts?(): ResponseFacts;
}

/** Outcome of one check. A failure is data: a check never rejects. */
export interface Finding {
  /** `missed` if the probe itself could not or must not check: never the target's fault. */
  outcome: 'success' | 'failure' | 'missed';
  degraded: boolean;
  response_time_ms: number | null;
  status_code: number | null;
  error: CheckError | null;
  missed: MissedReason | null;
  timings: Timings | null;
  remote_address: string | null;
  /** From the decisive connection, if it got as far as TLS. */
  tls: LazyTlsFacts | null;
  /** Absent for a check that learns nothing of its target but whether it responds. */
  facts?: LazyTargetFacts;
  detail: Record<string, unknown> | null;
  /** For successes and failures; not part of results. */
  observed: ObservedResponse | null;
}

/** How much of a target's response is captured as evidence, bytes. */
export const EXCERPT_BYTES = 4096;

/**
 * A target's raw response, neither redacted nor made printable, one character per byte. Read it immediately:
 * it may hold much more memory than it exposes.
 */
export interface ObservedResponse {
  /** All addresses of the host that may be checked, in the order they are tried. */
  readonly addresses: readonly string[];
  /** Status line and headers; null without an HTTP response. */
  readonly head: string | null;
  /** The first EXCERPT_BYTES of the body or of non-HTTP data; null if there are none. */
  readonly body: string | null;
}

/** Dependencies of a check. */
export interface CheckContext {
  clock: Clock;
  resolver: Resolver;
  /** Defaults to this machine's. */
  systemServers?: SystemServers;
  /** Whether a check may connect to this IP address. `allowPrivate` comes from its assignment. */
  allowAddress: (ip: string, allowPrivate?: boolean) => boolean;
  /** Whether the check must not reach private addresses, so that DNS checks reveal none. Defaults to no. */
  refusesPrivate?: (allowPrivate?: boolean) => boolean;
  /** Probe version, for the User-Agent. */
  version: string;
  trust: Trust;
  /** Absent if this machine can't ping. */
  pinger?: Pinger | undefined;
}

/**
 * A check implementation. `timeoutMs` bounds everything it does; `allowPrivate` is passed to `allowAddress`.
 */
export interface Check {
  readonly type: string;
  /** Capabilities announced in beats; defaults to the type. */
  readonly capabilities?: readonly string[];
  run(spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean): Promise<Finding>;
}

/** Creates a check once per probe, or several that share resources. */
export type CheckFactory = (context: CheckContext) => Check | readonly Check[];

const EMPTY: Readonly<Finding> = Object.freeze({
  outcome: 'missed', degraded: false, response_time_ms: null, status_code: null, error: null, missed: null,
  timings: null, remote_address: null, tls: null, detail: null, observed: null,
});

/** The finding for a slot that was not checked. */
export function missed(reason: MissedReason): Finding {
  return { ...EMPTY, missed: reason };
}

/** A success with the given fields. The HTTP check, which runs most often, inlines this for speed. */
export function success(known: Partial<Finding>): Finding {
  return { ...EMPTY, ...known, outcome: 'success' };
}

/** A failure of the target, with any other known fields. */
export function failure(
  type: ErrorType, layer: ErrorLayer, message: string, known: Partial<Finding> = {},
): Finding {
  return { ...EMPTY, ...known, outcome: 'failure', error: { type, layer, message: printable(message) } };
}

/** Sanitizes external text for a message: one line, no control characters, at most 500 characters. */
export function printable(text: string): string {
  return text.slice(0, 500).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

/**
 * Like `printable`, with at most `max` characters. A truncation always ends in `…`, which tells redaction
 * that a secret may be truncated there.
 */
export function shortened(text: string, max: number): string {
  const shown = printable(text.slice(0, max));
  return text.length > max ? `${shown}…` : shown;
}
