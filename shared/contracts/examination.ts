import { z } from 'zod';
import { assignment } from './assignment.ts';
import { LATEST_INSTANT_MS, checkError } from './result.ts';

/** Capability announced in the beats of probes that can examine targets. */
export const EXAMINE_CAPABILITY = 'examine';
/** Longer responses are neither sent nor read. */
export const MAX_EXAMINATION_BYTES = 16_384;
/** After this time, a probe reports what it has found. */
export const EXAMINATION_MS = 3000;
export const MAX_HOPS = 30;
/** Maximum entries per list. */
export const EXAMINATION_LIMITS = { addresses: 16, resolvers: 4, text: 200 } as const;

const text = z.string().max(EXAMINATION_LIMITS.text);
const address = z.string().max(64);
const addresses = z.array(address).max(EXAMINATION_LIMITS.addresses);

/** Order to examine the target of a monitor, even one the probe does not have. */
export const examineOrder = z.object({ examine: assignment });
export type ExamineOrder = z.infer<typeof examineOrder>;

/** The response of one name server about the target's name. */
const nameServer = z.object({ server: address, answer: addresses, error: text.nullable() });

/**
 * A router on the path, or the target as the last hop. Both fields are null if it did not respond. `rtt_ms`
 * is also null if the probe traces with `ping`, which does not measure routers.
 */
const hop = z.object({
  ttl: z.int().min(1).max(MAX_HOPS), address: address.nullable(), rtt_ms: z.number().min(0).nullable(),
});

const path = z.object({
  /** `none`: this machine cannot trace; `note` says why. */
  method: z.enum(['icmp', 'tcp', 'none']),
  note: text.nullable(),
  /** The address traced; null if the name has none. */
  target: address.nullable(),
  hops: z.array(hop).max(MAX_HOPS),
  /** Whether the target responded; if its port did not, to an echo request. */
  is_complete: z.boolean(),
  /**
   * Whether unfragmented packets of 1,500 bytes arrive where small ones do. A report that they are too large
   * counts as arrived, because senders then use smaller ones.
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
  /** `stalled`: it opened, and nothing arrived. `open` without a port: the target responds to pings. */
  state: z.enum(['open', 'refused', 'unreachable', 'timeout', 'stalled']),
  /** Null without TLS or without a handshake. */
  tls: handshake.nullable(),
});

/** What a probe found about a target and the path to it. Omits addresses that it may not check. */
export const examination = z.object({
  monitor_id: z.uuid(),
  /** Unix ms by the probe's clock. */
  examined_at: z.int().min(0).max(LATEST_INSTANT_MS),
  /** Outcome of the monitor's check, run once without rechecks; `error` says why it failed. */
  sees: z.enum(['up', 'down']),
  error: checkError.nullable(),
  /** Of the target, in the order the check tries them. */
  addresses,
  /** Empty if the target is an address. */
  resolvers: z.array(nameServer).max(EXAMINATION_LIMITS.resolvers),
  path,
  connections: z.array(connection).max(EXAMINATION_LIMITS.addresses),
  /** Whether the probe's own network works. If not, the examination says nothing about the target. */
  has_network: z.boolean(),
});
export type Examination = z.infer<typeof examination>;

/** A probe that must not or cannot examine the target, or is too busy, does not respond. */
export const examineResponse = z.object({ v: z.literal(1), examination });
export type ExamineResponse = z.infer<typeof examineResponse>;
