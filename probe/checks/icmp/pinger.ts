import type { MissedReason } from '../../../shared/contracts/result.ts';
import type { Returned } from './packet.ts';

/** How echo requests are sent: by this process over raw sockets, or by the system's `ping`. */
export type PingMethod = 'raw-socket' | 'ping';

export interface PingRequest {
  /** Already allowed by the address guard, as the system writes it. */
  address: string;
  count: number;
  /** Bytes of data in each packet. */
  size: number;
  ttl: number;
  /** Whether routers must not fragment the packets. Only iputils supports it. */
  isWhole?: boolean;
  plan: PingPlan;
  /** Maximum wait for its turn, in addition to the plan's time. */
  maxQueueMs: number;
}

/** The replies received. Duplicate and late ones don't count. */
export interface PingReport {
  /** Packets that left this machine. */
  sent: number;
  /** Round-trip times, ms, in the order of the packets that got a reply. */
  rttsMs: number[];
  /** The first reported problem; a lost packet reports none. */
  problem: PingProblem | null;
}

/** `own`: this machine could not send, or was stalled; says nothing about the target. */
export type PingProblem =
  | { whose: 'own'; reason: MissedReason }
  /** `returned`: the router or host that returned the packet, and why. */
  | { whose: 'target'; message: string; returned?: { why: Returned; from: string } };

/** Pings one address. Never rejects; resolves within the plan's time plus `maxQueueMs`. */
export interface Pinger {
  readonly method: PingMethod;
  ping(request: PingRequest): Promise<PingReport>;
}

export const unsent = (reason: MissedReason): PingReport =>
  ({ sent: 0, rttsMs: [], problem: { whose: 'own', reason } });

/** When packets are sent, and how long each waits for its reply, ms. */
export interface PingPlan {
  intervalMs: number;
  responseTimeoutMs: number;
}

const DEFAULT_SPACING_MS = 200;

/** Fits the packets and the last reply's timeout into `timeoutMs`; sending takes at most half of it. */
export function planPing(count: number, packetTimeoutMs: number, timeoutMs: number): PingPlan {
  const gaps = count - 1;
  const room = Math.max(timeoutMs - packetTimeoutMs, timeoutMs / 2, 0);
  const intervalMs = gaps === 0 ? 0 : Math.min(DEFAULT_SPACING_MS, room / gaps);
  const responseTimeoutMs = Math.max(1, Math.min(packetTimeoutMs, timeoutMs - intervalMs * gaps));
  return { intervalMs, responseTimeoutMs };
}
