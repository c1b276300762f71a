import type { WorkClaim } from '../work/claimed-work.ts';

/** `null`: before the first lookup. `failed`: the facts of an earlier lookup stay. */
export type DomainStatus = 'ok' | 'unsupported' | 'failed' | null;

/** Known facts about a domain. Timestamps are Unix ms. */
export interface DomainFacts {
  status: DomainStatus;
  /** Why there is no current response; null if there is one. */
  message: string | null;
  expires_at: number | null;
  /** When this `expires_at` was first read; null without one. */
  learned_at: number | null;
  registrar: string | null;
  source: 'rdap' | 'whois' | null;
  /** When the response behind the other fields was read; null before the first. */
  looked_up_at: number | null;
}

/** A document of `domains`. It belongs to no tenant: any number of monitors share it. */
export interface DomainDoc extends DomainFacts {
  /** The registrable domain, in ASCII. */
  _id: string;
  /** When the next lookup is due. */
  due_at: number;
  /** The claim of the controller that currently looks it up. */
  claim?: WorkClaim;
  /** Incremented whenever a changed monitor names the domain, so that a stale reader cannot remove it. */
  uses: number;
  /** Consecutive failed lookups. */
  failures: number;
  /** The expiry that the configurations of all its monitors have. */
  published_expires_at: number | null;
}

/** The outcome of one lookup. */
export type Lookup =
  | { kind: 'found'; source: 'rdap' | 'whois'; expires_at: number | null; registrar: string | null }
  /** No server can be queried. */
  | { kind: 'unsupported'; message: string }
  | { kind: 'failed'; message: string }
  /** `server` was queried within the last second. */
  | { kind: 'busy'; server: string };

/** The registry's published facts about a domain. */
export interface Registration {
  /** Unix ms; null if the registry does not publish it. */
  expires_at: number | null;
  registrar: string | null;
}

/** `null`: the domain is not registered. `undefined`: the response could not be parsed. */
export type RegistrationResult = Registration | null | undefined;

const MAX_NAME_LENGTH = 200;

/** Reduces untrusted text to one line of at most 200 characters; null if nothing remains. */
export function sanitizeName(text: string): string | null {
  const name = text.slice(0, MAX_NAME_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\uFFFD]+/gu, ' ').trim();
  return name === '' ? null : name;
}
