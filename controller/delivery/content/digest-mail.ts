import type { Mail } from '../../platform/mail/mailer-port.ts';
import type { AlertDetails } from '../../destinations/channels/alert.ts';
import { escaped, mailedContent, mailHeaders, type MailFrame } from './alert-mail.ts';
import { utc } from '../../destinations/channels/alert-content.ts';

/** Lists the alerts in the given order, as plain text and as escaped HTML. */
export function digestMail(frame: MailFrame, alerts: AlertDetails[], baseUrl: string): Mail {
  const items = alerts.map((alert) => {
    const { subject, links } = mailedContent(alert, baseUrl);
    return { at: utc(alert.at), subject, url: links[0]?.url ?? baseUrl };
  });
  const headline = `${alerts.length} more ${alerts.length === 1 ? 'alert' : 'alerts'} from the last hour`;
  const why = 'Each address receives up to 60 individual alert emails an hour. These alerts exceeded that limit.';
  const lines = items.map(({ at, subject, url }) => `${at}  ${subject}\n  ${url}`);
  const rows = items.map(({ at, subject, url }) =>
    `<li>${at} <a href="${escaped(url)}">${escaped(subject)}</a></li>`);
  return {
    to: frame.to,
    subject: `[DIGEST] ${headline}`,
    text: [headline, why, ...lines, `Stop these emails: ${frame.stopLink}\n`].join('\n\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${headline}</title></head>`,
      '<body style="font-family:sans-serif;font-size:15px;color:#222">',
      `<h1 style="font-size:18px">${headline}</h1>`, `<p>${why}</p>`, '<ol>', ...rows, '</ol>',
      `<p style="font-size:13px;color:#555"><a href="${escaped(frame.stopLink)}">Stop these emails</a></p>`,
      '</body></html>', '',
    ].join('\n'),
    headers: mailHeaders(frame),
  };
}
