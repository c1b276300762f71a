import type { Mail, MailOutcome } from './mailer-port.ts';

/** One way to hand a mail over. What it is given is free of control characters. */
export interface MailTransport {
  /** `signal` ends it early. What the provider says is an outcome; a rejection is a fault of ours. */
  deliver(mail: Mail, signal: AbortSignal): Promise<MailOutcome>;
  close(): Promise<void>;
}
