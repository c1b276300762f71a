import type { DnsRecordType } from '../../../shared/dns-values.ts';
import { EXCERPT_BYTES } from '../check.ts';
import { serverText } from '../network/system-servers.ts';
import type { Outcome } from './lookup.ts';
import { rcodeName } from './outcome-faults.ts';

/**
 * Name server responses for `name` as text: per type, a comment with the server and its RCODE or why there is
 * none, then records as in a zone file without class and TTL. At most EXCERPT_BYTES, one character per byte;
 * null if nothing was queried.
 */
export function responsesText(name: string, outcomes: ReadonlyMap<DnsRecordType, Outcome>): string | null {
  if (outcomes.size === 0) return null;
  const lines: string[] = [];
  for (const [type, outcome] of outcomes) {
    lines.push(`; ${type} from ${serverText(outcome.server)} by ${outcome.via}: ${stateOf(outcome)}`);
    if (outcome.kind !== 'records') continue;
    if (outcome.alias !== null) lines.push(`; ${name} is an alias of ${outcome.alias}`);
    for (const value of outcome.values) lines.push(`${outcome.alias ?? name} ${type} ${dataText(type, value)}`);
  }
  return Buffer.from(lines.join('\n')).toString('latin1').slice(0, EXCERPT_BYTES);
}

function stateOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'records': return outcome.isReferral ? 'NOERROR, a referral' : 'NOERROR';
    case 'error': return rcodeName(outcome.rcode);
    case 'malformed': return `unusable, ${outcome.problem}`;
    case 'silent': return 'no response';
    case 'down': return `not reachable, ${outcome.code}`;
  }
}

/** Only text needs quotes (RFC 1035, 5.1). */
function dataText(type: DnsRecordType, value: string): string {
  return type === 'TXT' ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}
