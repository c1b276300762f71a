import { backoffMs } from '../../shared/backoff.ts';
import { fnv1a } from '../../shared/ids.ts';
import type { DomainDoc, DomainFacts, Lookup } from './domain.ts';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

type Outcome = DomainFacts & Pick<DomainDoc, 'failures' | 'due_at'>;

/** The fields of a domain's document after a lookup that ended at `now` (Unix ms). */
export function afterLookup(doc: DomainDoc, lookup: Exclude<Lookup, { kind: 'busy' }>, now: number): Outcome {
  const { status: _, message: __, ...previous } = factsOf(doc);
  switch (lookup.kind) {
    case 'found': {
      const { source, expires_at, registrar } = lookup;
      const isMissing = expires_at === null;
      if (isMissing && doc.expires_at !== null) return afterFailure(doc, 'The response has no expiry date', now);
      const learned_at = expires_at === doc.expires_at ? doc.learned_at : now;
      const facts = { expires_at, registrar, source, looked_up_at: now, learned_at, failures: 0 };
      if (!isMissing) return { ...facts, status: 'ok', message: null, due_at: nextDailyLookupAt(doc._id, now + DAY_MS / 2) };
      return { ...facts, status: 'unsupported', message: UNPUBLISHED, due_at: nextDailyLookupAt(doc._id, now + WEEK_MS) };
    }
    case 'unsupported': {
      const { message } = lookup;
      const due_at = nextDailyLookupAt(doc._id, now + WEEK_MS);
      return { ...previous, looked_up_at: now, status: 'unsupported', message, failures: 0, due_at };
    }
    case 'failed':
      return afterFailure(doc, lookup.message, now);
  }
}

const UNPUBLISHED = 'The registry does not publish expiry dates';

const BACKOFF = { minMs: HOUR_MS, maxMs: DAY_MS };

/** Keeps the known facts. */
function afterFailure(doc: DomainDoc, message: string, now: number): Outcome {
  const failures = doc.failures + 1;
  return { ...factsOf(doc), status: 'failed', message, failures, due_at: now + backoffMs(failures, BACKOFF) };
}

/** The domain's first daily lookup time at or after `from`; a hash spreads domains over the day. */
export function nextDailyLookupAt(domain: string, from: number): number {
  const offsetMs = fnv1a(domain) % DAY_MS;
  return from + ((offsetMs - (from % DAY_MS)) + DAY_MS) % DAY_MS;
}

function factsOf(doc: DomainDoc): DomainFacts {
  const { status, message, expires_at, learned_at, registrar, source, looked_up_at } = doc;
  return { status, message, expires_at, learned_at, registrar, source, looked_up_at };
}
