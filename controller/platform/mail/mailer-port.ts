/**
 * A mail to one recipient. Subject and header values are one line; `text` and `html` have the same content.
 */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Additional headers, such as `List-Unsubscribe`. */
  headers?: Record<string, string>;
}

/**
 * `sent`: the provider accepted it. `busy`: we or the provider are at a limit, whatever the mail. `retry`:
 * may work later (provider down, greylisting). `bounced`: this recipient will never get it. `reason` is one
 * line for people, without credentials.
 */
export type MailOutcome = { kind: 'sent' } | { kind: 'busy' | 'retry' | 'bounced'; reason: string };

/** Mail of one class never waits for another class: each has its own concurrency limit. */
export type MailClass =
  'alerts' | 'tests' | 'accounts' | 'invitations' | 'owners' | 'subscriptions' | 'subscribers';

/** Sends mail through Mailgun, SMTP or to a folder. Never rejects: failures are outcomes. */
export interface Mailer {
  send(mail: Mail, mailClass?: MailClass): Promise<MailOutcome>;
  close(): Promise<void>;
}
