import { html, type Html } from '../pages/html.ts';
import { renderPage, type Page } from '../pages/layout.ts';
import type { RecipientState } from './verbs.ts';

/** What the mailed link opens: the state of the address, and a button that changes it. */
export function recipientPage(token: string, { address, organizationName, isStopped }: RecipientState): Page {
  if (isStopped) {
    return renderPage('Alert mails are stopped', html`<p role="status">${address} receives no more alert mails
 from ${organizationName}.</p>
${form('resume-alerts', token, 'Send me alerts again')}`);
  }
  return renderPage('Stop alert mails?', html`<p>${organizationName} sends alerts about what it monitors to
 ${address}.</p>
${form('stop-alerts', token, 'Stop these mails')}`);
}

export function resumedPage(token: string, { address, organizationName }: RecipientState): Page {
  return renderPage('Alert mails are sent again', html`<p role="status">${address} receives the alert mails of
 ${organizationName} again.</p>
${form('stop-alerts', token, 'Stop these mails')}`);
}

/** The action is relative because a proxy may serve us under a path. */
function form(action: string, token: string, button: string): Html {
  return html`<form method="post" action="${action}?token=${encodeURIComponent(token)}">
<button type="submit">${button}</button></form>`;
}
