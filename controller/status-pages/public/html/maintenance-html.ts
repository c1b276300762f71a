import { html, type Html } from '../../../pages/html.ts';
import type { PageLocale } from '../languages/language.ts';
import type { PublicMaintenance } from '../public-view.ts';

/** Current and upcoming maintenance, with its time and the affected components. */
export function maintenanceArticles(
  windows: readonly PublicMaintenance[], { texts, timeRange, list }: PageLocale,
): Html[] {
  return windows.map(({ title, description, affected, starts_at, ends_at }) => html`<article class="open maintenance"><h3>${title}</h3>
<p>${timeRange(starts_at, ends_at)}</p>
${affected.length === 0 ? null : html`<p class="faint">${texts.affected} ${list(affected)}</p>`}
${description === null ? null : html`<p class="text">${description}</p>`}</article>
`);
}
