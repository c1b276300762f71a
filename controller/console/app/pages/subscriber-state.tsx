import { pageTexts as texts } from '../texts/pages.ts';
import type { Subscriber } from './page-queries.ts';

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
