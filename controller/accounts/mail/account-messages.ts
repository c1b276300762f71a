import { html, type Html } from '../../pages/html.ts';
import { nameInMail } from '../../pages/name-in-mail.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';

/** The pages that mailed links open. */
type LinkPage = 'verify-email' | 'reset-password' | 'accept-invitation';

export function mailedLink(baseUrl: string, page: LinkPage, token: string): string {
  return `${baseUrl}/${page}?token=${token}`;
}

export function verificationMessage(to: string, link: string): Mail {
  return message(to, 'Verify your email address', {
    before: [
      'Someone, hopefully you, created a Farwatch account with this address.',
      'Verify it within 24 hours:',
    ],
    link, action: 'Verify address', after: 'If this was not you, ignore this email.',
  });
}

export function resetMessage(to: string, link: string): Mail {
  return message(to, 'Reset your password', {
    before: [
      'Someone, hopefully you, asked to reset the password of your Farwatch account.',
      'Choose a new password within an hour:',
    ],
    link, action: 'Choose a new password',
    after: 'If this was not you, ignore this email. Your password will not change.',
  });
}

/** `inviter` and `organization` are user-chosen names: single lines of up to 100 characters. */
export function invitationMessage(to: string, link: string, inviter: string, organization: string): Mail {
  const [who, where] = [nameInMail(inviter), nameInMail(organization)];
  const invitation = `"${who}" invited you to join the organization "${where}" on Farwatch.`;
  return message(to, 'You are invited to Farwatch', {
    before: [invitation, 'Accept the invitation within 7 days:'],
    link, action: 'Accept invitation', after: 'If you do not know this person, ignore this email.',
  });
}

interface Content {
  before: string[];
  link: string;
  action: string;
  after: string;
}

function message(to: string, subject: string, { before, link, action, after }: Content): Mail {
  const paragraph = (line: string): Html => html`<p>${line}</p>\n`;
  return {
    to, subject, text: [...before, link, after].join('\n\n') + '\n',
    html: html`${before.map(paragraph)}<p><a href="${link}">${action}</a></p>
<p>${link}</p>
${paragraph(after)}`.text,
  };
}
