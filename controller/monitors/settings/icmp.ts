import { z } from 'zod';
import { fieldError } from '../../http/input/validation.ts';
import { asciiHost, hostFault } from '../target.ts';
import { hasPlaceholder } from './placeholders.ts';
import { chooseSettings } from './sent-settings.ts';
import type { CheckType, FieldsOf } from './registry.ts';

const icmpSettings = z.strictObject({
  packet_count: z.int(),
  /** Bytes of payload per packet. */
  packet_size: z.int(),
  /** Maximum wait for one echo reply. The monitor's own timeout may end it sooner. */
  timeout_ms: z.int(),
  ttl: z.int(),
});
export type IcmpSettings = z.infer<typeof icmpSettings>;

export const icmpResponseFields = { icmp_config: icmpSettings.optional() };

const DEFAULTS: IcmpSettings = { packet_count: 3, packet_size: 56, timeout_ms: 2000, ttl: 64 };

/** Prevents floods: at most 14 kB per check, and each packet fits into one Ethernet frame. */
const MAX_PACKETS = 10;
const MAX_PACKET_BYTES = 1400;

const countRule = `At most ${MAX_PACKETS} packets are sent per check`;
const sizeRule = `A packet has at most ${MAX_PACKET_BYTES} bytes`;
const ttlRule = 'TTL must be from 1 to 255';
const flatFields = {
  packet_count: z.int().min(1).max(MAX_PACKETS, countRule).optional(),
  packet_size: z.int().min(0).max(MAX_PACKET_BYTES, sizeRule).meta({ 'x-unit': 'bytes' }).optional(),
  ttl: z.int().min(1, ttlRule).max(255, ttlRule).optional(),
};
const packetTimeout = z.int().min(100, 'Timeout must be at least 100 ms')
  .max(10_000, 'Timeout must be at most 10000 ms').meta({ 'x-unit': 'ms' }).optional()
  .describe('Maximum wait for each reply, ms.');

export const icmpFields = {
  ...flatFields,
  icmp_config: z.strictObject({ ...flatFields, timeout_ms: packetTimeout }).nullable().optional(),
};

export const icmpType: CheckType<FieldsOf<typeof icmpFields>, { icmp: IcmpSettings | null }> = {
  fields: Object.keys(icmpFields),
  resolve: (input, current) => {
    const target = input.target ?? current?.target ?? '';
    const fault = hasPlaceholder(target) ? null : hostFault(target);
    if (fault !== null) throw fieldError('target', fault);
    // At the top level, `timeout_ms` is the timeout of the whole check.
    const sent = [{ ...input, timeout_ms: undefined }, input.icmp_config ?? {}];
    const settings = { config: 'icmp_config', sent, current: current?.icmp ?? null, defaults: DEFAULTS };
    return { target, icmp: chooseSettings(settings) };
  },
  view: ({ icmp }) => ({ icmp_config: icmp }),
  toSpec: ({ target, icmp }) => {
    const { timeout_ms: packetTimeoutMs, ...settings } = icmp ?? DEFAULTS;
    return { type: 'ICMP', host: asciiHost(target), ...settings, packet_timeout_ms: packetTimeoutMs };
  },
};
