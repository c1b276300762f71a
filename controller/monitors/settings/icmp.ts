import { z } from 'zod';
import { fieldError } from '../../http/validation.ts';
import { asciiHost, hostFault } from '../target.ts';
import type { CheckType, FieldsOf } from './check-type.ts';
import { chosen } from './chosen.ts';

export interface IcmpSettings {
  packet_count: number;
  /** Bytes of data in each packet. */
  packet_size: number;
  /** Longest wait for one answer, ms; the monitor's own timeout may end it sooner. */
  timeout_ms: number;
  ttl: number;
}

const DEFAULTS: IcmpSettings = { packet_count: 3, packet_size: 56, timeout_ms: 2000, ttl: 64 };

/** So few and small packets that no number of monitors makes a flood of a probe: 14 kB per check, whole in one Ethernet frame each. */
const MOST_PACKETS = 10;
const LARGEST_PACKET = 1400;

const flatFields = {
  packet_count: z.int().min(1).max(MOST_PACKETS, `At most ${MOST_PACKETS} packets are sent per check`).optional(),
  packet_size: z.int().min(0).max(LARGEST_PACKET, `A packet has at most ${LARGEST_PACKET} bytes`).optional(),
  ttl: z.int().min(1, 'Ttl must be from 1 to 255').max(255, 'Ttl must be from 1 to 255').optional(),
};
const packetTimeout = z.int().min(100, 'Timeout must be at least 100 ms').max(10_000, 'Timeout must be at most 10000 ms').optional()
  .describe('Longest wait for one reply, ms.');

/** ICMP in bodies of create and update. At the top level `timeout_ms` is the whole check's. */
export const icmpFields = { ...flatFields, icmp_config: z.strictObject({ ...flatFields, timeout_ms: packetTimeout }).nullable().optional() };
type IcmpInput = FieldsOf<typeof icmpFields>;

/** ICMP in answers. */
export const icmpAnswer = {
  icmp_config: z.strictObject({ packet_count: z.int(), packet_size: z.int(), timeout_ms: z.int(), ttl: z.int() }).optional(),
};

export const icmpType: CheckType<IcmpInput> = {
  fields: Object.keys(icmpFields),
  resolve: (input, current) => {
    const target = input.target ?? current?.target ?? '';
    const fault = hostFault(target);
    if (fault !== null) throw fieldError('target', fault);
    return { target, icmp: resolveIcmp(input, current?.icmp ?? null) };
  },
  view: (doc) => ({ icmp_config: doc.icmp }),
  toSpec: (doc) => {
    const { timeout_ms: packetTimeoutMs, ...settings } = doc.icmp ?? DEFAULTS;
    return { type: 'ICMP', host: asciiHost(doc.target), ...settings, packet_timeout_ms: packetTimeoutMs };
  },
};

function resolveIcmp(input: IcmpInput, current: IcmpSettings | null): IcmpSettings {
  const nested = input.icmp_config ?? {};
  const pick = (name: keyof IcmpSettings, ...given: (number | undefined)[]) => chosen(`icmp_config.${name}`, current?.[name], given) ?? DEFAULTS[name];
  return {
    packet_count: pick('packet_count', input.packet_count, nested.packet_count),
    packet_size: pick('packet_size', input.packet_size, nested.packet_size),
    timeout_ms: pick('timeout_ms', nested.timeout_ms),
    ttl: pick('ttl', input.ttl, nested.ttl),
  };
}
