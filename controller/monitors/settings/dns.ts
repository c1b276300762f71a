import { isIP } from 'node:net';
import { z } from 'zod';
import { DNS_MATCHES, DNS_RECORD_TYPES } from '../../../shared/contracts/check-spec.ts';
import { canonicalDnsValue, type DnsRecordType } from '../../../shared/dns-values.ts';
import { nonBlankText, fieldError } from '../../http/input/validation.ts';
import { asciiHost, hostFault, reverseName, splitHostPort } from '../target.ts';
import { hasPlaceholder } from './placeholders.ts';
import { chooseSettings } from './sent-settings.ts';
import type { CheckType, FieldsOf } from './registry.ts';

const DEFAULT_RESOLUTION_MS = 5000;
const DEFAULT_MATCH = 'contains';
const DNS_PORT = 53;

const expectedValue = nonBlankText(1000, 'Value must be at most 1000 characters', 'Value must not be empty').trim();
const NOT_A_NAME = 'Must be a domain name';
const FAULTS: Readonly<Record<DnsRecordType, string>> = {
  A: 'Must be an IPv4 address',
  AAAA: 'Must be an IPv6 address',
  CNAME: NOT_A_NAME,
  NS: NOT_A_NAME,
  PTR: NOT_A_NAME,
  MX: 'Must be a host name, or a preference and a host name',
  SOA: 'Must be the name of the primary server, or all seven fields of the record',
  SRV: 'Must be priority, weight, port and target, separated by spaces',
  CAA: 'Must be flags, tag and value, separated by spaces',
  TXT: 'Quotes must be closed',
};
const recordEntry = z.strictObject({
  type: z.enum(DNS_RECORD_TYPES),
  expected_values: z.array(expectedValue).max(20, 'At most 20 values are allowed').optional().describe(
    'Without values, any record passes. Case and a trailing dot in names are ignored. MX: `10 '
    + 'mail.example.com`, or only the host. SRV: `priority weight port target`. SOA: all fields, or only the '
    + 'primary server. CAA: `0 issue "ca.example"`, quotes optional. TXT: the whole text; several '
    + 'quoted strings are one text.',
  ),
  match: z.enum(DNS_MATCHES).optional().describe('`exact`: these values and no others; `contains`: all of '
    + 'these values; `any`: at least one of them. Default: `contains`.'),
}).superRefine(({ type, expected_values: values = [] }, check) => {
  for (const [at, value] of values.entries()) {
    if (canonicalDnsValue(type, value) !== null) continue;
    check.addIssue({ code: 'custom', path: ['expected_values', at], message: FAULTS[type] });
  }
});
const anyServer = nonBlankText(300, 'Must be at most 300 characters', 'Server must not be empty');
const dnsServer = anyServer.trim().superRefine((text, check) => {
  const parts = splitHostPort(text);
  if (typeof parts !== 'string') return;
  check.addIssue({ code: 'custom', message: parts.replace(/^Target/, 'Server') });
});
const flatFields = {
  record_entries: z.array(recordEntry).min(1, 'At least one record is required')
    .max(20, 'At most 20 records are allowed').optional(),
  dns_server: dnsServer.nullable().optional().describe('Name or address of the DNS server, with or without '
    + '`:port`; null: the name servers that the system of the probe is configured to use.'),
  resolution_timeout_ms: z.int().min(100, 'Timeout must be at least 100 ms')
    .max(60_000, 'Timeout must be at most 60000 ms').meta({ 'x-unit': 'ms' }).optional()
    .describe('Maximum wait for all responses, up to the timeout of the monitor.'),
};

export const dnsFields = { ...flatFields, dns_config: z.strictObject(flatFields).nullable().optional() };

const dnsSettings = z.strictObject({
  /** One query each. Without expected values, any record passes. */
  record_entries: z.array(z.strictObject({
    type: z.enum(DNS_RECORD_TYPES),
    expected_values: z.array(z.string()).optional(),
    match: z.enum(DNS_MATCHES).optional(),
  })),
  /** Null for the system resolver of the probe. */
  dns_server: z.string().nullable(),
  resolution_timeout_ms: z.int(),
});
export type DnsSettings = z.infer<typeof dnsSettings>;

export const dnsResponseFields = { dns_config: dnsSettings.optional() };

export const dnsType: CheckType<FieldsOf<typeof dnsFields>, { dns: DnsSettings | null }> = {
  fields: Object.keys(dnsFields),
  resolve: (input, current) => {
    const dns = chooseSettings<DnsSettings>({
      config: 'dns_config', sent: [input, input.dns_config ?? {}], current: current?.dns ?? null,
      defaults: { record_entries: undefined, dns_server: null, resolution_timeout_ms: DEFAULT_RESOLUTION_MS },
    });
    const target = input.target ?? current?.target ?? '';
    const fault = hasPlaceholder(target) ? null : targetFault(target, dns);
    if (fault !== null) throw fieldError('target', fault);
    return { target, dns };
  },
  view: ({ dns }) => ({ dns_config: dns }),
  toSpec: ({ target, dns }) => ({
    type: 'DNS',
    name: isIP(target) === 0 ? asciiHost(target) : reverseName(target),
    record_entries: (dns?.record_entries ?? []).map(({ type, expected_values = [], match = DEFAULT_MATCH }) =>
      ({ type, expected_values, match })),
    server: serverOf(dns?.dns_server ?? null),
    resolution_timeout_ms: dns?.resolution_timeout_ms ?? DEFAULT_RESOLUTION_MS,
  }),
};

function targetFault(target: string, dns: DnsSettings): string | null {
  const isReverse = dns.record_entries.every((entry) => entry.type === 'PTR');
  if (isIP(target) === 0 || isReverse) return hostFault(target);
  return 'Target must be a name; only PTR can look up an address';
}

function serverOf(text: string | null): { host: string; port: number } | null {
  const parts = text === null ? null : splitHostPort(text);
  if (parts === null || typeof parts === 'string') return null;
  return { host: asciiHost(parts.host), port: parts.port ?? DNS_PORT };
}
