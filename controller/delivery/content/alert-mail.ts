import { nameInMail } from '../../pages/name-in-mail.ts';
import { COLORS } from '../../destinations/channels/text.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';
import type { AlertDetails, RegionName } from '../../destinations/channels/alert.ts';
import { alertContent, plainText, type AlertContent } from '../../destinations/channels/alert-content.ts';

export interface MailFrame {
  to: string;
  /** Mails with the same value form one thread. */
  thread: string;
  /** The page on which the recipient stops these mails. */
  stopLink: string;
}

/** Like `alertContent`, but prevents email programs from turning names into links. */
export function mailedContent(alert: AlertDetails, baseUrl: string): AlertContent {
  const named = <T extends { name: string }>(one: T): T => ({ ...one, name: nameInMail(one.name) });
  const inRegions = (regions: RegionName[]) => regions.map(({ city, ...region }) => (
    { ...named(region), city: city === null ? null : nameInMail(city) }
  ));
  const { monitor, probe, regions, votes, together, incident } = alert;
  const { diagnosis } = incident ?? {};
  return alertContent({
    ...alert,
    monitor: monitor && named(monitor),
    incident: incident && diagnosis
      ? { ...incident, diagnosis: { ...diagnosis, summary: withPlainNames(diagnosis.summary) } } : incident,
    regions: inRegions(regions),
    ...(probe && { probe: named(probe) }),
    ...(together && { together: {
      // No program turns an address into a link.
      ...(together.kind === 'address' || together.kind === 'network' ? together : named(together)),
      monitors: together.monitors.map(nameInMail),
    } }),
    ...(votes && { votes: {
      down: inRegions(votes.down), up: inRegions(votes.up),
      rechecking: inRegions(votes.rechecking), silent: inRegions(votes.silent),
    } }),
  }, baseUrl);
}

/** No program turns an address into a link, and people copy them. */
function withPlainNames(summary: string): string {
  return summary.split(/(\b\d{1,3}(?:\.\d{1,3}){3}\b)/).map((part, at) => (at % 2 ? part : nameInMail(part))).join('');
}

/** Renders the content as plain text and as escaped HTML. */
export function alertMail(frame: MailFrame, content: AlertContent): Mail {
  const { to, stopLink } = frame;
  return {
    to,
    subject: content.subject,
    text: `${plainText(content)}\n\nStop these emails: ${stopLink}\n`,
    html: htmlOf(content, stopLink),
    headers: mailHeaders(frame),
  };
}

export function mailHeaders({ thread, stopLink }: MailFrame): Record<string, string> {
  return {
    // RFC 8058: email programs show a button that stops the mails with one request.
    'List-Unsubscribe': `<${stopLink}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    // Suppresses out-of-office messages.
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
    References: `<${thread}@farwatch.invalid>`,
  };
}

/** Uses a table and inline styles because email programs support little CSS. */
function htmlOf({ subject, headline, facts, links, tone }: AlertContent, stopLink: string): string {
  const rows = facts.map(({ label, text }) => {
    const name = `<td style="padding:2px 16px 2px 0;color:#555;vertical-align:top">${escaped(label)}</td>`;
    return `<tr>${name}<td style="padding:2px 0">${escaped(text)}</td></tr>`;
  });
  const anchors = links.map(({ label, url }) => `<a href="${escaped(url)}">${escaped(label)}</a>`);
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>`,
    '<body style="font-family:sans-serif;font-size:15px;color:#222">',
    `<h1 style="font-size:18px;color:${COLORS[tone]}">${escaped(headline)}</h1>`,
    '<table role="presentation" style="border-collapse:collapse">', ...rows, '</table>',
    `<p>${anchors.join(' · ')}</p>`,
    `<p style="font-size:13px;color:#555"><a href="${escaped(stopLink)}">Stop these emails</a></p>`,
    '</body></html>',
    '',
  ].join('\n');
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
