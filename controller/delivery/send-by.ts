import type { AlertSnapshot, Verdict } from './delivery.ts';
import type { SendContext, Senders, Target } from './ports.ts';

/** One try, by the sender of the target's type. */
export function sendBy(senders: Senders, target: Target, alert: AlertSnapshot, context: SendContext): Promise<Verdict> {
  switch (target.type) {
    case 'webhook': return senders.webhook.send(target, alert, context);
    case 'email': return senders.email.send(target, alert, context);
    case 'slack': return senders.slack.send(target, alert, context);
  }
}
