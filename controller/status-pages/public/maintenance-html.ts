import { html, type Html } from '../../pages/html.ts';
import type { Voice } from './languages/language.ts';
import type { PublicMaintenance } from './public-view.ts';

/** Maintenance under way and to come, each with its time and what it concerns. */
export function maintenanceArticles(
  shown: readonly PublicMaintenance[], { texts, time, list }: Voice,
): Html[] {
  return shown.map(({ title, description, affected, starts_at, ends_at }) => html`<article><h3>${title}</h3>
<p>${time(starts_at)} – ${time(ends_at)}</p>
${affected.length === 0 ? null : html`<p>${texts.affected} ${list(affected)}</p>`}
${description === null ? null : html`<p class="text">${description}</p>`}</article>
`);
}
