import { join } from 'node:path';
import { failed, NOT_CHECKED, ok, warning, type Check, type Finding } from '../check.ts';
import { tryMailgun, type MailgunResponse } from '../reach/try-mailgun.ts';
import { trySmtp, type SmtpRefusal } from '../reach/try-smtp.ts';
import { endpointOf } from '../../../../shared/net-guard.ts';

export const checkMail: Check = async ({ settings, dataDir, hosts }) => {
  if (settings === null) return NOT_CHECKED;
  const { mailgun, smtpUrl, from } = settings.controller.mail;
  if (mailgun === null && smtpUrl === null) {
    return warning(
      `No mail server is configured: email is written to ${join(dataDir, 'mail')} and reaches nobody`,
      'Set SMTP_URL, or MAILGUN_API_KEY and MAILGUN_DOMAIN.',
    );
  }
  const url = new URL(mailgun?.url ?? smtpUrl ?? '');
  const { hostname } = url;
  if (await hosts.failureOf(endpointOf(url).host) !== null) {
    return failed(`The mail server ${hostname} cannot be looked up`, 'See the check dns.');
  }
  if (mailgun !== null) return judgeMailgun(await tryMailgun(mailgun), mailgun.domain);
  const refusal = await trySmtp(smtpUrl ?? '', addressIn(from));
  return refusal === null ? ok(`${hostname} accepts email from ${addressIn(from)}`) : judgeSmtp(refusal, hostname, addressIn(from));
};

export function judgeSmtp({ step, code, text }: SmtpRefusal, host: string, from: string): Finding {
  // RFC 5321: 4yz may be different the next time.
  const finding = code !== null && code >= 400 && code < 500 ? warning : failed;
  switch (step) {
    case 'connect':
      return failed(`No connection to the mail server ${host}: ${text}`, 'Correct host and port in SMTP_URL, or let this host reach the port through the firewall. Many providers block port 25: use 587 or 465.');
    case 'tls':
      return failed(`No secure connection to the mail server ${host}: ${text}`, 'Use smtps:// for port 465 and smtp:// for 587, and a name of the server for which its certificate is valid; NODE_EXTRA_CA_CERTS adds an authority.');
    case 'login':
      return finding(`The mail server ${host} refuses the user or password: ${text}`, 'Correct both in SMTP_URL, with special characters as %XX.');
    case 'sender':
      return finding(`The mail server ${host} refuses the sender ${from}: ${text}`, 'Set MAIL_FROM to an address that it lets this user send from.');
    case 'recipient':
      return finding(`The mail server ${host} refuses a recipient: ${text}`, 'Let it relay email of this host or user to any recipient; most require a user and password in SMTP_URL.');
  }
}

/** By Mailgun's response to a message without a recipient. */
export function judgeMailgun({ status, text }: MailgunResponse, domain: string): Finding {
  if (status === 400) return ok(`Mailgun accepts the key for ${domain}`);
  if (status === null) return failed(`Mailgun is unreachable: ${text}`, 'Correct MAILGUN_URL, or let this host reach it through the firewall.');
  if (status === 401 || status === 403) return failed(`Mailgun refuses the key (${status})`, 'Set MAILGUN_API_KEY to a valid key. In the EU, also set MAILGUN_URL to https://api.eu.mailgun.net.');
  if (status === 404) return failed(`Mailgun does not know the domain ${domain}`, 'Correct MAILGUN_DOMAIN. In the EU, also set MAILGUN_URL to https://api.eu.mailgun.net.');
  return warning(`Mailgun responds with status ${status}: ${text}`, 'Try again later; see https://status.mailgun.com.');
}

/** `Name <a@b.example>` → `a@b.example`. */
function addressIn(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();
}
