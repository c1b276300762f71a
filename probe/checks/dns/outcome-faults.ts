import { isDnsValue, type DnsRecordType } from '../../../shared/dns-values.ts';
import { failure, missed, shortened, type Finding } from '../check.ts';
import { connectionFailure } from '../network/problems.ts';
import { serverText } from '../network/system-servers.ts';
import type { Outcome } from './lookup.ts';
import type { PlannedEntry } from './plan.ts';
import { RCODES } from './response.ts';

/** Limits for the values shown in a message, and in the result's details. */
const SHOWN_LIMITS = { values: 4, characters: 50 } as const;
const DETAIL_LIMITS = { values: 10, characters: 150 } as const;

/** From the probe's own name servers, these say nothing about a target. */
const UNREACHABLE_CODES = new Set(['ECONNREFUSED', 'ENETUNREACH']);

const RCODE_NAMES = new Map<number, string>(Object.entries(RCODES).map(([name, rcode]) => [rcode, name]));

/**
 * Why this outcome doesn't match the entry, or null if it does. The caller, who knows the deadline, handles
 * timeouts. `isSystem`: the servers are the probe's own, so a refused connection is the probe's fault.
 */
export function faultOf(
  name: string, entry: PlannedEntry, outcome: Exclude<Outcome, { kind: 'silent' }>, isSystem: boolean,
): Finding | null {
  const question = `${entry.type} of ${name}`;
  if (outcome.kind === 'records' && outcome.values.length > 0) {
    return valuesFault(question, entry, outcome.values);
  }
  const server = serverText(outcome.server);
  switch (outcome.kind) {
    case 'down': return downFault(outcome, server, isSystem);
    case 'error': return failure('dns_error', 'dns', rcodeText(outcome.rcode, { name, question, server }));
    case 'malformed':
      return failure('dns_error', 'dns', `${server} sent an unusable response for ${question}: ${outcome.problem}`);
    case 'records':
      return failure('dns_error', 'dns', emptyText(outcome, { name, type: entry.type, server }));
  }
}

function downFault(
  { code, via }: Extract<Outcome, { kind: 'down' }>, server: string, isSystem: boolean,
): Finding {
  const finding = connectionFailure({ phase: 'connect', code, message: '' }, {});
  if (finding.outcome === 'missed') return finding;
  if (isSystem && UNREACHABLE_CODES.has(code)) return missed('probe_unhealthy');
  return failure('dns_error', 'dns', `${server} cannot be queried over ${via}: ${finding.error?.message ?? code}`);
}

function rcodeText(
  rcode: number, { name, question, server }: { name: string; question: string; server: string },
): string {
  if (rcode === RCODES.NXDOMAIN) return `The name ${name} does not exist (NXDOMAIN from ${server})`;
  if (rcode === RCODES.SERVFAIL) return `${server} failed to look up ${question} (SERVFAIL)`;
  if (rcode === RCODES.REFUSED) return `${server} refused the query for ${question} (REFUSED)`;
  return `${server} responded for ${question} with error ${rcodeName(rcode)}`;
}

/** Its name in RFC 1035, or its number. */
export function rcodeName(rcode: number): string {
  return RCODE_NAMES.get(rcode) ?? String(rcode);
}

function emptyText(
  { alias, isReferral }: Extract<Outcome, { kind: 'records' }>,
  { name, type, server }: { name: string; type: DnsRecordType; server: string },
): string {
  if (isReferral) return `${server} is not authoritative for ${name} and refers to other DNS servers`;
  const isAlias = alias === null ? '' : `is an alias of ${shortened(alias, SHOWN_LIMITS.characters)}, which `;
  return `The name ${name} ${isAlias}has no ${type} record (empty response from ${server})`;
}

function valuesFault(question: string, entry: PlannedEntry, values: readonly string[]): Finding | null {
  const { expected } = entry;
  if (expected.length === 0) return null;
  const isThere = (value: string): boolean => values.some((each) => isDnsValue(entry.type, value, each));
  const isExpected = (value: string): boolean => expected.some((each) => isDnsValue(entry.type, each, value));
  const isFound = entry.match === 'any' ? expected.some(isThere) : expected.every(isThere);
  if (isFound && (entry.match !== 'exact' || values.every(isExpected))) return null;
  const expectation = { exact: 'be exactly', contains: 'include', any: 'include one of' }[entry.match];
  return failure(
    'dns_validation_error', 'content',
    `Expected ${question} to ${expectation} ${listText(expected)}; got ${listText(values)}`,
    { detail: { answers: { [entry.type]: detailValues(values) } } },
  );
}

function listText(values: readonly string[]): string {
  const shown = values.slice(0, SHOWN_LIMITS.values)
    .map((value) => shortened(value, SHOWN_LIMITS.characters));
  const more = values.length > shown.length ? ` and ${values.length - shown.length} more` : '';
  return `${shown.join(', ')}${more}`;
}

function detailValues(values: readonly string[]): string[] {
  return values.slice(0, DETAIL_LIMITS.values).map((value) => shortened(value, DETAIL_LIMITS.characters));
}
