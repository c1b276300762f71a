import type { WorkClaim } from '../../shared/work-claims.ts';

/** `null`: before the first lookup. `failed`: what was known before is kept. */
export type DomainStatus = 'ok' | 'unsupported' | 'failed' | null;

/** What is known of a domain. Instants are Unix ms. */
export interface DomainFacts {
  status: DomainStatus;
  /** Why there is no present answer; null when there is one. */
  message: string | null;
  expires_at: number | null;
  /** When this `expires_at` was first read; null without one. */
  learned_at: number | null;
  registrar: string | null;
  source: 'rdap' | 'whois' | null;
  /** When the answer was read that the other fields are from; null before the first. */
  looked_up_at: number | null;
}

/** A document of `domains`. It belongs to no tenant: any number of monitors share it. */
export interface DomainDoc extends DomainFacts {
  /** The registrable domain, in ASCII. */
  _id: string;
  /** When it is to be looked up next. */
  due_at: number;
  /** Of the controller that looks it up now. */
  claim?: WorkClaim;
  /** Grows whenever a changed monitor names it, so that nobody forgets it who has not seen that. */
  uses: number;
  /** Lookups that failed in a row. */
  failures: number;
  /** The expiry that the configurations of all its monitors have. */
  published_expires_at: number | null;
}

/** What one lookup came to. */
export type Lookup =
  | { kind: 'found'; source: 'rdap' | 'whois'; expires_at: number | null; registrar: string | null }
  /** Nobody can be asked. */
  | { kind: 'unsupported'; message: string }
  | { kind: 'failed'; message: string }
  /** Not now: `server` was asked within the last second. */
  | { kind: 'busy'; server: string };
