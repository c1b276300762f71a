import { html } from '../pages/html.ts';
import { nameInMail } from '../pages/name-in-mail.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';

/** Tells an owner that a person has stopped the alert mails of the organization. */
export function stoppedNotice(to: string, address: string, organizationName: string): Mail {
  const lines = [
    `${address} has stopped the alert mails of the organization "${nameInMail(organizationName)}".`,
    'Mail integrations with this address show it as suppressed. Please make sure that somebody else receives '
    + 'their alerts.',
    'Only the owner of the address can start the mails again, by the link in any earlier alert mail.',
  ];
  return {
    to,
    subject: 'An address no longer receives your alerts',
    text: `${lines.join('\n\n')}\n`,
    html: html`${lines.map((line) => html`<p>${line}</p>\n`)}`.text,
  };
}
