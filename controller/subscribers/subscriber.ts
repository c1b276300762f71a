import type { Language } from '../status-pages/public/languages/language.ts';

/** What a subscriber can be notified of. */
export const TOPICS = ['critical_incidents', 'all_incidents', 'maintenance'] as const;
export type Topic = (typeof TOPICS)[number];

/** `hourly` and `daily`: everything in one digest. */
export const FREQUENCIES = ['immediate', 'hourly', 'daily'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export type Preferences = Record<Topic, boolean> & { frequency: Frequency };

export const DEFAULT_PREFERENCES: Preferences = Object.freeze({
  critical_incidents: true, all_incidents: true, maintenance: true, frequency: 'immediate',
});

export const STATES = ['verified', 'unverified', 'unsubscribed'] as const;
export type SubscriberState = (typeof STATES)[number];

/** A document of `status_page_subscribers`. Instants are Unix ms. */
export interface SubscriberDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  page_id: string;
  /** In lower case; unique per page. */
  email: string;
  /** Receives every notice, too; null for none. */
  webhook_url: string | null;
  /** Language at subscription; null: unknown, so mails are in English. */
  language: Language | null;
  state: SubscriberState;
  preferences: Preferences;
  /** SHA-256 of the token in the latest confirmation mail; null if none is pending. */
  verify_hash: string | null;
  verification_expires_at: number | null;
  subscribed_at: number;
  verified_at: number | null;
  unsubscribed_at: number | null;
}

/** Per page, on every plan. */
export const MAX_SUBSCRIBERS = 100_000;
/** How long a subscription can be confirmed. */
export const VERIFICATION_TTL_MS = 86_400_000;
