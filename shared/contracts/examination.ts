import { z } from 'zod';
import { assignment } from './assignment.ts';
import { LATEST_INSTANT_MS, checkError } from './result.ts';

/** Announced in beats by probes that examine targets. */
export const EXAMINE_CAPABILITY = 'examine';
/** Longer responses are neither sent nor read. */
export const MAX_EXAMINATION_BYTES = 16_384;
/** A probe stops examining after this time and reports what it has. */
export const EXAMINATION_MS = 3000;
export const MAX_HOPS = 30;
/** Maximum entries per list. */
export const EXAMINATION_LIMITS = { addresses: 16, resolvers: 4, text: 200 } as const;

const text = z.string().max(EXAMINATION_LIMITS.text);
const address = z.string().max(64);
const addresses = z.array(address).max(EXAMINATION_LIMITS.addresses);

/** Order to examine the target of a monitor, which need not be in the probe's set. */
export const examineOrder = z.object({ examine: assignment });
export type ExamineOrder = z.infer<typeof examineOrder>;

/** What one name server said about the target's name. */
const nameServer = z.object({ server: address, answer: addresses, error: text.nullable() });

/**
 * A router on the way, or at the end the target. Both are null if it was silent. `rtt_ms` is also null if the
 * probe traces by `ping`, which shows no times of routers.
 */
const hop = z.object({
  ttl: z.int().min(1).max(MAX_HOPS), address: address.nullable(), rtt_ms: z.number().min(0).nullable(),
});

const path = z.object({
  /** `none`: this machine can trace no path, and `note` says why. */
  method: z.enum(['icmp', 'tcp', 'none']),
  note: text.nullable(),
  /** The address traced; null if the name has none. */
  target: address.nullable(),
  hops: z.array(hop).max(MAX_HOPS),
  /** Whether the target itself responded; if its port is silent, to an echo request. */
  is_complete: z.boolean(),
  /**
   * Whether packets of 1,500 bytes, not to be fragmented, arrive where small ones do. A report that they are
   * too large counts as arrived: senders then use smaller ones.
   */
  large_packets: z.enum(['arrive', 'lost', 'unknown']),
});

const handshake = z.object({
  protocol: z.string().max(16), issuer: text, valid_to: z.int().min(0).max(LATEST_INSTANT_MS).nullable(),
  fingerprint256: z.string().max(128),
  /** Why the certificate is not accepted; null if it is. */
  problem: text.nullable(),
});

/** What happened when the probe connected to one address of the target. */
const connection = z.object({
  address,
  /** `stalled`: it opened, and then nothing arrived. `open` without a port: the target responds to ping. */
  state: z.enum(['open', 'refused', 'unreachable', 'timeout', 'stalled']),
  /** Null without TLS or without a handshake. */
  tls: handshake.nullable(),
});

/** What a probe found out about a target and the way to it. Addresses that it may not check are left out. */
export const examination = z.object({
  monitor_id: z.uuid(),
  /** Unix ms by the probe's clock. */
  examined_at: z.int().min(0).max(LATEST_INSTANT_MS),
  /** Whether the monitor's check, run once more without rechecks, succeeds; `error` says why not. */
  sees: z.enum(['up', 'down']),
  error: checkError.nullable(),
  /** Of the target, in the order the check tries them. */
  addresses,
  /** Empty if the target is an address. */
  resolvers: z.array(nameServer).max(EXAMINATION_LIMITS.resolvers),
  path,
  connections: z.array(connection).max(EXAMINATION_LIMITS.addresses),
  /** Whether the probe still reaches what it depends on itself. If not, it says nothing about targets. */
  has_network: z.boolean(),
});
export type Examination = z.infer<typeof examination>;

/** A probe that may not or cannot examine the target, or is too busy, does not respond. */
export const examineResponse = z.object({ v: z.literal(1), examination });
export type ExamineResponse = z.infer<typeof examineResponse>;
