import { html } from '../pages/html.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';
import type { PageDoc } from '../status-pages/page.ts';

type NamedPage = Pick<PageDoc, 'name'>;

/** Asks the owner of an address whether they want the mails. */
export function confirmationMail(
  to: string, { name }: NamedPage, link: string, webhookUrl: string | null,
): Mail {
  const posted = webhookUrl === null ? [] : [`The same is then posted to ${webhookUrl}`];
  return linkMail(to, 'Confirm your subscription', {
    before: [
      `Someone, hopefully you, wants to receive the updates of the status page "${name}" at this address.`,
      ...posted, 'Please confirm it within 24 hours:',
    ],
    link, action: 'Confirm the subscription', after: 'If it was not you, ignore this mail: nothing else will come.',
  });
}

/** For somebody who subscribes again. */
export function knownMail(to: string, { name }: NamedPage, link: string): Mail {
  return linkMail(to, 'You are subscribed already', {
    before: [
      `You receive the updates of the status page "${name}" already.`,
      'You can change what you receive, or unsubscribe:',
    ],
    link, action: 'Your preferences', after: 'If you did not ask for this mail, ignore it.',
  });
}

function linkMail(
  to: string, subject: string, content: { before: string[]; link: string; action: string; after: string },
): Mail {
  const { before, link, action, after } = content;
  return {
    to, subject, text: `${[...before, link, after].join('\n\n')}\n`,
    html: html`${before.map((line) => html`<p>${line}</p>\n`)}<p><a href="${link}">${action}</a></p>
<p>${link}</p>
<p>${after}</p>
`.text,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}
