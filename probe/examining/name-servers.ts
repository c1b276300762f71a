import { isIP } from 'node:net';
import { EXAMINATION_LIMITS, type Examination } from '../../shared/contracts/examination.ts';
import type { DnsRecordType } from '../../shared/dns-values.ts';
import { lookUp, type Network, type Outcome } from '../checks/dns/lookup.ts';
import { faultOf } from '../checks/dns/outcome-faults.ts';
import { questionFor, type Question } from '../checks/dns/question.ts';
import type { NameServer } from '../checks/network/system-servers.ts';

type Response = Examination['resolvers'][number];

const MAX_VALUE_LENGTH = 64;

/** Queries each server about a name. Omits addresses that are not allowed. */
export async function askEach(
  network: Network, servers: readonly NameServer[],
  { name, types }: { name: string; types: readonly DnsRecordType[] },
  isAllowed: (address: string) => boolean, timeoutMs: number,
): Promise<Response[]> {
  const questions = types.map((type) => questionFor(name, type)).filter((question) => question !== null);
  if (questions.length === 0) return [];
  return Promise.all(servers.slice(0, EXAMINATION_LIMITS.resolvers).map(async (server) => {
    const outcomes =
      await Promise.all(questions.map((question) => lookUp(network, [server], question, timeoutMs)));
    const values = outcomes.flatMap((outcome) => (outcome.kind === 'records' ? outcome.values : []));
    const problems = outcomes.map((outcome, at) => problemOf(questions[at] as Question, outcome, timeoutMs));
    return {
      server: server.address,
      answer: values.filter((value) => isIP(value) === 0 || isAllowed(value))
        .slice(0, EXAMINATION_LIMITS.addresses).map((value) => value.slice(0, MAX_VALUE_LENGTH)),
      // A name may have addresses of only one family.
      error: values.length > 0 && outcomes.every(({ kind }) => kind === 'records')
        ? null
        : problems.find((problem) => problem !== null) ?? null,
    };
  }));
}

function problemOf({ name, type }: Question, outcome: Outcome, timeoutMs: number): string | null {
  if (outcome.kind === 'silent') return `No response within ${Math.round(timeoutMs)} ms`;
  if (outcome.kind === 'down') return `Unreachable (${outcome.code})`;
  // An alias may reveal an internal name.
  const withoutAlias = 'alias' in outcome ? { ...outcome, alias: null } : outcome;
  const fault = faultOf(name, { type, match: 'any', expected: [] }, withoutAlias, false);
  return fault?.error?.message ?? null;
}
