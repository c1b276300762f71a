import type { Clock } from '../../../shared/time.ts';
import type { EmailConfig } from '../../destinations/destination.ts';
import type { Mailer } from '../../platform/mail/mailer-port.ts';
import { alertContent } from '../content/alert-content.ts';
import type { AlertSnapshot, Verdict } from '../delivery.ts';
import { alertMail } from '../content/alert-mail.ts';
import type { SendContext, Sender, TargetFields } from '../ports.ts';

/** Mails the alert to the one recipient that the delivery is for. */
export class EmailSender implements Sender<'email'> {
  readonly #mailer: Pick<Mailer, 'send'>;
  readonly #clock: Clock;
  readonly #baseUrl: () => string;

  constructor(deps: { mailer: Pick<Mailer, 'send'>; clock: Clock; baseUrl(): string }) {
    this.#mailer = deps.mailer;
    this.#clock = deps.clock;
    this.#baseUrl = deps.baseUrl;
  }

  async send(_target: TargetFields & { config: EmailConfig }, alert: AlertSnapshot, { recipient }: SendContext): Promise<Verdict> {
    const startedAt = this.#clock.monotonic();
    const outcome = await this.#mailer.send(alertMail(recipient, alertContent(alert, this.#baseUrl()), alert.incident?.id ?? alert.id));
    const took = { status: null, durationMs: this.#clock.monotonic() - startedAt };
    return outcome.kind === 'sent' ? { kind: 'sent', ...took } : { kind: outcome.kind, reason: outcome.reason, ...took };
  }
}
