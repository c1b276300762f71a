import { plainText, type AlertContent } from './alert-content.ts';

const COLOURS: Record<AlertContent['tone'], string> = { bad: '#b42318', warning: '#b54708', good: '#067647' };

/** One mail to one recipient, as a mailer takes it. */
export interface AlertMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

/** An alert as a mail: the same in text and in HTML, every text of others encoded. `thread` joins the mails of an incident. */
export function alertMail(to: string, content: AlertContent, thread: string): AlertMail {
  return {
    to,
    subject: content.subject,
    text: `${plainText(content)}\n`,
    html: htmlOf(content),
    // Out-of-office answers would come back to us.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', References: `<${thread}@farwatch.invalid>` },
  };
}

/** Mail programs know little of style sheets: a table, and styles where they apply. */
function htmlOf({ subject, headline, facts, links, tone }: AlertContent): string {
  const rows = facts.map(
    ({ label, text }) => `<tr><td style="padding:2px 16px 2px 0;color:#555;vertical-align:top">${encoded(label)}</td><td style="padding:2px 0">${encoded(text)}</td></tr>`,
  );
  const anchors = links.map(({ label, url }) => `<a href="${encoded(url)}">${encoded(label)}</a>`);
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${encoded(subject)}</title></head>`,
    '<body style="font-family:sans-serif;font-size:15px;color:#222">',
    `<h1 style="font-size:18px;color:${COLOURS[tone]}">${encoded(headline)}</h1>`,
    '<table role="presentation" style="border-collapse:collapse">', ...rows, '</table>',
    `<p>${anchors.join(' · ')}</p>`,
    '</body></html>',
    '',
  ].join('\n');
}

function encoded(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
