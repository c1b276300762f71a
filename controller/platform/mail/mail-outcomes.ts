import type { Mail, MailOutcome } from './mailer-port.ts';

const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const RECIPIENT = /^[^\s<>@,;:"()[\]\\]{1,64}@[^\s<>@,;:"()[\]\\]{1,255}$/;
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const LONGEST_SUBJECT = 500;
const LONGEST_HEADER = 2000;
const LONGEST_REASON = 300;

/** Why a mail is not sent at all: it would not be one mail to one recipient with the headers it names. Null: it may go. */
export function mailRefusal(mail: Mail): string | null {
  if (CONTROL.test(mail.to) || !RECIPIENT.test(mail.to)) return 'the recipient is not one address';
  if (CONTROL.test(mail.subject) || mail.subject.length > LONGEST_SUBJECT) return 'the subject is not one line of at most 500 characters';
  for (const [name, value] of Object.entries(mail.headers ?? {})) {
    if (!HEADER_NAME.test(name) || CONTROL.test(value) || value.length > LONGEST_HEADER) return 'a header is not one line';
  }
  return null;
}

/** What an SMTP reply means for this mail. `isOfRecipient`: the reply was to the recipient or to the message, not to us. */
export function smtpOutcome(code: number | null, text: string, isOfRecipient: boolean): MailOutcome {
  const reason = oneLineReason(text);
  return code !== null && code >= 500 && isOfRecipient ? { kind: 'bounced', reason } : { kind: 'retry', reason };
}

/**
 * What a failure of Mailgun's messages API means; `status` null: there was no answer. It answers 400 for what this mail
 * brings with it; a wrong key, domain or sender, a limit or a fault of its own is the operator's to put right.
 */
export function mailgunOutcome(status: number | null, text: string): MailOutcome {
  const reason = oneLineReason(status === null ? `Mailgun could not be reached: ${text}` : `Mailgun answered ${status}: ${text}`);
  const isOfSender = /\bfrom\b|\bdomain\b|\bsender\b/i.test(text) && !/\bto\b|\brecipient/i.test(text);
  return (status === 400 || status === 422) && !isOfSender ? { kind: 'bounced', reason } : { kind: 'retry', reason };
}

function oneLineReason(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();
  return line === '' ? 'no reason given' : line.slice(0, LONGEST_REASON);
}

/** Plain text in ASCII with lines that SMTP allows needs no encoding, and can be read as it stands. */
export function isSendableAsIs(text: string): boolean {
  return /^[\t\r\n\x20-\x7e]*$/.test(text) && text.split(/\r?\n/).every((line) => line.length <= 900);
}
