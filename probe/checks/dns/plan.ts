import type { DnsSpec } from '../../../shared/contracts/check-spec.ts';
import { canonicalDnsValue, type DnsRecordType } from '../../../shared/dns-values.ts';
import { isInternalName } from './internal-names.ts';
import { questionFor, type Question } from './question.ts';

/** The queries and expectations of a spec, computed once per spec. */
export interface Plan {
  /** One per record type; null if the name is invalid in the DNS. */
  questions: readonly Question[] | null;
  isInternal: boolean;
  entries: readonly PlannedEntry[];
}

export interface PlannedEntry {
  type: DnsRecordType;
  match: DnsSpec['record_entries'][number]['match'];
  /** Normalized by `canonicalDnsValue`. */
  expected: readonly string[];
}

/** The plan of a spec, cached in `plans`. */
export function planFor(plans: WeakMap<DnsSpec, Plan>, spec: DnsSpec): Plan {
  let plan = plans.get(spec);
  if (!plan) {
    plan = planOf(spec);
    plans.set(spec, plan);
  }
  return plan;
}

function planOf({ name, record_entries: entries }: DnsSpec): Plan {
  const types = [...new Set(entries.map(({ type }) => type))];
  const questions = types.map((type) => questionFor(name, type)).filter((question) => question !== null);
  return {
    questions: questions.length === types.length ? questions : null,
    isInternal: isInternalName(name.toLowerCase()),
    entries: entries.map(({ type, match, expected_values: values }) => (
      { type, match, expected: values.map((value) => canonicalDnsValue(type, value) ?? value) }
    )),
  };
}
