/** A mail to one recipient. Subject and header values are one line; `text` and `html` say the same. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Further headers, as `List-Unsubscribe`. */
  headers?: Record<string, string>;
}

/**
 * What became of a mail. `sent`: the provider has taken it. `busy`: too much is being sent now, by us or for
 * the provider, which says nothing about this mail. `retry`: it may work later (provider away, greylisting).
 * `bounced`: this recipient will never get it. `reason` is one line for people, without credentials.
 */
export type MailOutcome = { kind: 'sent' } | { kind: 'busy' | 'retry' | 'bounced'; reason: string };

/** Mail of one lane never waits behind mail of another: each has its own limit of mails under way. */
export type MailClass =
  'alerts' | 'tests' | 'accounts' | 'invitations' | 'owners' | 'subscriptions' | 'subscribers';

/** Sends mail by Mailgun, SMTP or into a folder. Never rejects: failures are outcomes. */
export interface Mailer {
  send(mail: Mail, mailClass?: MailClass): Promise<MailOutcome>;
  close(): Promise<void>;
}
