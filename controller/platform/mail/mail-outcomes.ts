import type { Mail, MailOutcome } from './mailer-port.ts';

const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const RECIPIENT = /^[^\s<>@,;:"()[\]\\]{1,64}@[^\s<>@,;:"()[\]\\]{1,255}$/;
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const MAX_SUBJECT_LENGTH = 500;
const MAX_HEADER_LENGTH = 2000;
const MAX_REASON_LENGTH = 300;

/** Why this isn't a single mail to one recipient with only the given headers; null if it may be sent. */
export function mailRefusal({ to, subject, headers = {} }: Mail): string | null {
  if (CONTROL.test(to) || !RECIPIENT.test(to)) return 'the recipient is not one address';
  if (CONTROL.test(subject) || subject.length > MAX_SUBJECT_LENGTH) {
    return 'the subject is not one line of at most 500 characters';
  }
  const isHeader = ([name, value]: [string, string]) =>
    HEADER_NAME.test(name) && !CONTROL.test(value) && value.length <= MAX_HEADER_LENGTH;
  return Object.entries(headers).every(isHeader) ? null : 'a header is not one line';
}

/**
 * Maps an SMTP response to an outcome. `isOfRecipient`: it concerns the recipient or message, not our
 * account.
 */
export function smtpOutcome(code: number | null, text: string, isOfRecipient: boolean): MailOutcome {
  const hasBounced = code !== null && code >= 500 && isOfRecipient;
  const kind = hasBounced ? 'bounced' : isBusy(code, text) ? 'busy' : 'retry';
  return { kind, reason: oneLineReason(text) };
}

/** Texts and enhanced codes (RFC 3463) of overloaded relays and of rate limits. */
const BUSY = /\b(?:too (?:many|much|fast)|busy|rate|load)\b|throttl|\blimit|\b4\.(?:3\.[12]|4\.5|7\.28)\b/i;
/** A full mailbox or greylisting concerns the recipient or this mail. */
const OF_MAILBOX = /mailbox|quota|gr[ea]ylist/i;

/** 421: the relay closes the connection. 450 to 452 have many meanings, which the text tells apart. */
function isBusy(code: number | null, text: string): boolean {
  if (code === 421) return true;
  return code !== null && code >= 450 && code <= 452 && BUSY.test(text) && !OF_MAILBOX.test(text);
}

/**
 * Maps a failure of Mailgun's messages API to an outcome; `status` null: no response. 400 is about this mail.
 * Everything else needs the operator: a wrong key, domain or sender, a limit, or a Mailgun outage.
 */
export function mailgunOutcome(status: number | null, text: string): MailOutcome {
  const prefix = status === null ? 'could not reach Mailgun' : `Mailgun responded with status ${status}`;
  const isOfSender = /\bfrom\b|\bdomain\b|\bsender\b/i.test(text) && !/\bto\b|\brecipient/i.test(text);
  const hasBounced = (status === 400 || status === 422) && !isOfSender;
  const kind = hasBounced ? 'bounced' : status === 429 ? 'busy' : 'retry';
  return { kind, reason: oneLineReason(`${prefix}: ${text}`) };
}

function oneLineReason(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();
  return line === '' ? 'no reason given' : line.slice(0, MAX_REASON_LENGTH);
}
