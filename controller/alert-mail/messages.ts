import { html } from '../pages/html.ts';
import { nameInMail } from '../pages/name-in-mail.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';

/** Notifies an owner that the recipient at `address` stopped the organization's alert mails. */
export function stoppedNotice(to: string, address: string, organizationName: string): Mail {
  const lines = [
    `${address} opted out of alert emails from the organization "${nameInMail(organizationName)}".`,
    'Email destinations with this address show that it opted out. Make sure that someone else receives '
    + 'their alerts.',
    'Only the owner of the address can resume the emails, using the link in any earlier alert email.',
  ];
  return {
    to,
    subject: 'An address no longer receives your alerts',
    text: `${lines.join('\n\n')}\n`,
    html: html`${lines.map((line) => html`<p>${line}</p>\n`)}`.text,
  };
}
