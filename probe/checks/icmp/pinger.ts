import type { MissedReason } from '../../../shared/contracts/result.ts';

/** How echo requests are sent: by raw sockets of this process, or by the system's `ping`. */
export type PingMethod = 'raw-socket' | 'ping';

export interface PingRequest {
  /** Vetted; the text as the system writes it. */
  address: string;
  count: number;
  /** Bytes of data in each packet. */
  size: number;
  ttl: number;
  plan: PingPlan;
  /** How long it may wait for its turn, beside the plan's time, ms. */
  maxQueueMs: number;
}

/** What came back. Duplicate and late replies do not count. */
export interface PingReport {
  /** Packets that left this machine. */
  sent: number;
  /** Round-trip times, ms, in the order of the packets that were answered. */
  rttsMs: number[];
  /** The first thing that went wrong and said so; a packet that is lost says nothing. */
  problem: PingProblem | null;
}

/** `own`: this machine could not send, or did not keep up; says nothing about the target. */
export type PingProblem =
  | { whose: 'own'; reason: MissedReason }
  | { whose: 'target'; message: string };

/** Pings one address. Never rejects, and answers within the plan's time and the patience. */
export interface Pinger {
  readonly method: PingMethod;
  ping(request: PingRequest): Promise<PingReport>;
}

export const unsent = (reason: MissedReason): PingReport =>
  ({ sent: 0, rttsMs: [], problem: { whose: 'own', reason } });

/** When packets are sent, and how long each of them waits for its reply, ms. */
export interface PingPlan {
  intervalMs: number;
  responseTimeoutMs: number;
}

const DEFAULT_SPACING_MS = 200;

/** Fits the packets and the wait for the last reply into `timeoutMs`; the packets take at most half of it. */
export function planPing(count: number, packetTimeoutMs: number, timeoutMs: number): PingPlan {
  const gaps = count - 1;
  const room = Math.max(timeoutMs - packetTimeoutMs, timeoutMs / 2, 0);
  const intervalMs = gaps === 0 ? 0 : Math.min(DEFAULT_SPACING_MS, room / gaps);
  const responseTimeoutMs = Math.max(1, Math.min(packetTimeoutMs, timeoutMs - intervalMs * gaps));
  return { intervalMs, responseTimeoutMs };
}
