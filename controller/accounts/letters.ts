import { html, type Html } from '../pages/html.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';

/** The pages that mailed links open. */
export type LinkPage = 'verify-email' | 'reset-password' | 'accept-invitation';

/** Address of a page with its token. */
export function mailedLink(baseUrl: string, page: LinkPage, token: string): string {
  return `${baseUrl}/${page}?token=${token}`;
}

export function verificationLetter(to: string, link: string): Mail {
  return letter(to, 'Verify your e-mail address', {
    before: ['Someone, hopefully you, created a Farwatch account with this address.', 'Please verify it within 24 hours:'],
    link,
    action: 'Verify the address',
    after: ['If it was not you, ignore this mail.'],
  });
}

export function resetLetter(to: string, link: string): Mail {
  return letter(to, 'Reset your password', {
    before: ['Someone, hopefully you, requested a new password for your Farwatch account.', 'Choose one within an hour:'],
    link,
    action: 'Choose a new password',
    after: ['If it was not you, ignore this mail: your password stays the same.'],
  });
}

/** `inviter` and `organization` are what people call themselves; a line each of at most 100 characters. */
export function invitationLetter(to: string, link: string, by: { inviter: string; organization: string }): Mail {
  return letter(to, 'You are invited to Farwatch', {
    before: [`"${by.inviter}" invites you to the organization "${by.organization}" on Farwatch.`, 'Accept the invitation within 7 days:'],
    link,
    action: 'Accept the invitation',
    after: ['If you do not know who this is, ignore this mail.'],
  });
}

function letter(to: string, subject: string, content: { before: string[]; link: string; action: string; after: string[] }): Mail {
  const { before, link, action, after } = content;
  const paragraphs = (lines: string[]): Html[] => lines.map((line) => html`<p>${line}</p>\n`);
  return {
    to,
    subject,
    text: [...before, link, ...after].join('\n\n') + '\n',
    html: html`${paragraphs(before)}<p><a href="${link}">${action}</a></p>
<p>${link}</p>
${paragraphs(after)}`.text,
  };
}
