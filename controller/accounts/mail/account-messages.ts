import { html, type Html } from '../../pages/html.ts';
import { nameInMail } from '../../pages/name-in-mail.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';

/** The pages that mailed links open. */
type LinkPage = 'verify-email' | 'reset-password' | 'accept-invitation';

export function mailedLink(baseUrl: string, page: LinkPage, token: string): string {
  return `${baseUrl}/${page}?token=${token}`;
}

export function verificationMessage(to: string, link: string): Mail {
  return message(to, 'Verify your e-mail address', {
    before: [
      'Someone, hopefully you, created a Farwatch account with this address.',
      'Please verify it within 24 hours:',
    ],
    link, action: 'Verify the address', after: 'If it was not you, ignore this mail.',
  });
}

export function resetMessage(to: string, link: string): Mail {
  return message(to, 'Reset your password', {
    before: [
      'Someone, hopefully you, requested a new password for your Farwatch account.',
      'Choose one within an hour:',
    ],
    link, action: 'Choose a new password',
    after: 'If it was not you, ignore this mail: your password stays the same.',
  });
}

/** `inviter` and `organization` are names that people chose: one line of at most 100 characters each. */
export function invitationMessage(to: string, link: string, inviter: string, organization: string): Mail {
  const [who, where] = [nameInMail(inviter), nameInMail(organization)];
  const invitation = `"${who}" invites you to the organization "${where}" on Farwatch.`;
  return message(to, 'You are invited to Farwatch', {
    before: [invitation, 'Accept the invitation within 7 days:'],
    link, action: 'Accept the invitation', after: 'If you do not know who this is, ignore this mail.',
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
