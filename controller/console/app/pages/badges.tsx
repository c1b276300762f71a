import { pageTexts as texts } from '../texts/pages.ts';
import type { StatusPage, Subscriber } from './page-queries.ts';

const STATES = { draft: 'unknown', published: 'up', archived: 'unknown' } as const;

export function PublicationBadge({ status }: { status: StatusPage['status'] }) {
  return <span class={`state-badge ${STATES[status]}`}>{texts[status]}</span>;
}

/** The page's public URL as a path, which works on every host of the installation. */
export function publicPath({ subdomain }: Pick<StatusPage, 'subdomain'>): string {
  return `/status/${subdomain}`;
}

export function SubscriberState({ subscriber: { is_verified: isVerified, unsubscribed_at: unsubscribedAt } }: { subscriber: Subscriber }) {
  if (unsubscribedAt !== null) return <span class="state-badge">{texts.unsubscribed}</span>;
  return <span class={`state-badge ${isVerified ? 'up' : 'degraded'}`}>{isVerified ? texts.verified : texts.unverified}</span>;
}

/** The subscribed topics and the frequency. */
export function preferencesText({ preferences }: Subscriber): string {
  const { critical_incidents: critical, all_incidents: all, maintenance, frequency } = preferences;
  const incidents = all ? texts.allIncidents : critical ? texts.criticalIncidents : '';
  return [incidents, maintenance ? texts.maintenance : '', texts[frequency]].filter(Boolean).join(', ');
}
