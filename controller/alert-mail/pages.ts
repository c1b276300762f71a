import { html, type Html } from '../pages/html.ts';
import { renderPage, type Page } from '../pages/layout.ts';
import type { LocalizedMailPage } from '../pages/mail-page-texts.ts';
import type { RecipientState } from './verbs.ts';

/** Shows whether the address receives alerts, with a button that changes it. */
export function recipientPage(token: string, state: RecipientState, page: LocalizedMailPage): Page {
  const { language, texts } = page;
  const { address, organizationName, isStopped } = state;
  if (isStopped) {
    return renderPage(texts.stopped, html`<p role="status">${texts.noMore(organizationName, address)}</p>
${form('resume-alerts', token, texts.resumeButton)}`, language);
  }
  return renderPage(texts.stop, html`<p>${texts.sends(organizationName, address)}</p>
${form('stop-alerts', token, texts.stopButton)}`, language);
}

export function resumedPage(token: string, state: RecipientState, page: LocalizedMailPage): Page {
  const { language, texts } = page;
  const { address, organizationName } = state;
  return renderPage(texts.resumed, html`<p role="status">${texts.sendsAgain(organizationName, address)}</p>
${form('stop-alerts', token, texts.stopButton)}`, language);
}

/** The action is relative because a proxy may serve Farwatch under a path. */
function form(action: string, token: string, button: string): Html {
  return html`<form method="post" action="${action}?token=${encodeURIComponent(token)}">
<button type="submit">${button}</button></form>`;
}
