import { isIP, isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { DNS_MATCHES, DNS_RECORD_TYPES } from '../../../shared/contracts/check-spec.ts';
import { fieldError } from '../../http/validation.ts';
import { asciiHost, hostFault, reverseName, splitHostPort } from '../target.ts';
import type { CheckType, FieldsOf } from './check-type.ts';
import { chosen } from './chosen.ts';

/** One question to the DNS. What was not sent is absent: then any record will do, and values are expected as `contains`. */
export interface RecordEntry {
  type: (typeof DNS_RECORD_TYPES)[number];
  expected_values?: string[] | undefined;
  match?: (typeof DNS_MATCHES)[number] | undefined;
}

export interface DnsSettings {
  record_entries: RecordEntry[];
  /** Null: the resolver of the probe's own system. */
  dns_server: string | null;
  resolution_timeout_ms: number;
}

const DEFAULT_RESOLUTION_MS = 5000;
const DEFAULT_MATCH = 'contains';
const DNS_PORT = 53;

const expectedValue = z.string().trim().min(1, 'Value must not be empty').max(1000, 'Value must be at most 1000 characters');
const recordEntry = z
  .strictObject({
    type: z.enum(DNS_RECORD_TYPES),
    expected_values: z.array(expectedValue).max(20, 'At most 20 values are allowed').optional(),
    match: z.enum(DNS_MATCHES).optional()
      .describe('`exact`: these values and no others; `contains`: all of these values; `any`: at least one of them. Default: `contains`.'),
  })
  .superRefine(({ type, expected_values: values = [] }, check) => {
    for (const [at, value] of values.entries()) {
      if (type === 'A' && !isIPv4(value)) check.addIssue({ code: 'custom', path: ['expected_values', at], message: 'Must be an IPv4 address' });
      if (type === 'AAAA' && !isIPv6(value)) check.addIssue({ code: 'custom', path: ['expected_values', at], message: 'Must be an IPv6 address' });
    }
  });
const dnsServer = z.string().trim().max(300).superRefine((text, check) => {
  const place = splitHostPort(text);
  if (typeof place === 'string') check.addIssue({ code: 'custom', message: place.replace(/^Target/, 'Server') });
});
const flatFields = {
  record_entries: z.array(recordEntry).min(1, 'At least one record is required').max(20, 'At most 20 records are allowed').optional(),
  dns_server: dnsServer.nullable().optional().describe('Name or address of the DNS server, with or without `:port`; null: the system resolver of the probe.'),
  resolution_timeout_ms: z.int().min(100, 'Timeout must be at least 100 ms').max(60_000, 'Timeout must be at most 60000 ms').optional(),
};

/** DNS in bodies of create and update. */
export const dnsFields = { ...flatFields, dns_config: z.strictObject(flatFields).nullable().optional() };
type DnsInput = FieldsOf<typeof dnsFields>;

/** DNS in answers. */
export const dnsAnswer = {
  dns_config: z
    .strictObject({
      record_entries: z.array(z.strictObject({
        type: z.enum(DNS_RECORD_TYPES), expected_values: z.array(z.string()).optional(), match: z.enum(DNS_MATCHES).optional(),
      })),
      dns_server: z.string().nullable(),
      resolution_timeout_ms: z.int(),
    })
    .optional(),
};

export const dnsType: CheckType<DnsInput> = {
  fields: Object.keys(dnsFields),
  resolve: (input, current) => {
    const dns = resolveDns(input, current?.dns ?? null);
    const target = input.target ?? current?.target ?? '';
    const fault = dnsTargetFault(target, dns);
    if (fault !== null) throw fieldError('target', fault);
    return { target, dns };
  },
  view: (doc) => ({ dns_config: doc.dns }),
  toSpec: ({ target, dns }) => ({
    type: 'DNS',
    name: isIP(target) === 0 ? asciiHost(target) : reverseName(target),
    record_entries: (dns?.record_entries ?? []).map((entry) => ({
      type: entry.type, expected_values: entry.expected_values ?? [], match: entry.match ?? DEFAULT_MATCH,
    })),
    server: serverOf(dns?.dns_server ?? null),
    resolution_timeout_ms: dns?.resolution_timeout_ms ?? DEFAULT_RESOLUTION_MS,
  }),
};

function dnsTargetFault(target: string, dns: DnsSettings): string | null {
  const isReverse = dns.record_entries.every((entry) => entry.type === 'PTR');
  if (isIP(target) !== 0 && !isReverse) return 'Target must be a name; an address can only be looked up by PTR';
  return hostFault(target);
}

function serverOf(text: string | null): { host: string; port: number } | null {
  const place = text === null ? null : splitHostPort(text);
  return place === null || typeof place === 'string' ? null : { host: asciiHost(place.host), port: place.port ?? DNS_PORT };
}

function resolveDns(input: DnsInput, current: DnsSettings | null): DnsSettings {
  const nested = input.dns_config ?? {};
  const entries = chosen('dns_config.record_entries', current?.record_entries, [input.record_entries, nested.record_entries]);
  if (entries === undefined) throw fieldError('dns_config.record_entries', 'Required');
  const timeouts = [input.resolution_timeout_ms, nested.resolution_timeout_ms];
  return {
    record_entries: entries,
    dns_server: chosen('dns_config.dns_server', current?.dns_server, [input.dns_server, nested.dns_server]) ?? null,
    resolution_timeout_ms: chosen('dns_config.resolution_timeout_ms', current?.resolution_timeout_ms, timeouts) ?? DEFAULT_RESOLUTION_MS,
  };
}
