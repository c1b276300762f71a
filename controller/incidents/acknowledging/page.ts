import { isoTime } from '../../../shared/time.ts';
import { html } from '../../pages/html.ts';
import { renderPage, type Page } from '../../pages/layout.ts';
import type { LocalizedMailPage } from '../../pages/mail-page-texts.ts';
import type { LinkedIncident } from './verbs.ts';

/** Shows an ongoing incident, with a button while nobody has acknowledged it. */
export function acknowledgePage(token: string, { incident }: LinkedIncident, page: LocalizedMailPage): Page {
  const { language, texts } = page;
  const { title, error_message: error, started_at: startedAt, acknowledged_by_name: by } = incident;
  const isOpen = incident.status === 'open';
  const since = `${isoTime(startedAt).slice(0, 16).replace('T', ' ')} UTC`;
  // The action is relative because a proxy may serve Farwatch under a path.
  const form = html`<form method="post" action="acknowledge?token=${encodeURIComponent(token)}">
<button type="submit">${texts.acknowledgeButton}</button></form>`;
  const content = html`<p><strong>${title}</strong></p>
<p>${error}</p>
<p class="hint">${texts.since(since)}</p>
${isOpen ? form : html`<p role="status">${texts.isAcknowledged(by ?? '')}</p>`}`;
  return renderPage(isOpen ? texts.acknowledge : texts.acknowledged, content, language);
}
