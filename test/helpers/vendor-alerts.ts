import type { AlertDetails } from '../../controller/destinations/channels/alert.ts';
import { recipientsOf } from '../../controller/delivery/delivery-rules.ts';
import { sendAlert } from '../../controller/delivery/senders/send-alert.ts';
import type { DestinationType } from '../../controller/destinations/channels/registry.ts';
import { DEFAULT_EVENTS, type DestinationDoc } from '../../controller/destinations/destination.ts';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import { HttpPoster } from '../../controller/platform/outbound/poster.ts';
import { systemClock } from '../../shared/time.ts';

const at = Date.UTC(2026, 2, 1, 3, 14, 15);

export const down: AlertDetails & { incident: NonNullable<AlertDetails['incident']> & { started_at: number } } = {
  id: 'a1', event: 'monitor.down', monitor: { id: 'm1', name: 'Shop', target: 'https://shop.example/cart', type: 'HTTP' },
  incident: {
    id: '0199f6c2-0000-7000-8000-000000000001', started_at: at, resolved_at: null,
    acknowledge_url: 'https://watch.example/acknowledge?token=t',
  },
  error: { type: 'status_code', message: 'Expected 200, got 503' }, regions: [{ id: 'eu', name: 'Europe', city: 'Dublin' }],
  last_success: { at: at - 60_000, response_time_ms: 241.4 }, at: at + 5000,
};

/** An outage whose texts all contain `name`. */
export const named = (name: string, message = name): AlertDetails => ({
  ...down, monitor: { id: 'm1', name, target: `https://x.example/${name}`, type: 'HTTP' },
  error: { type: 'keyword_missing', message }, regions: [{ id: 'eu', name, city: name }],
});

/** Mentions, markup and a link of every vendor. */
export const HOSTILE = '@everyone @channel @here @all @room @ada <!channel> <users/all> <@U1> <at>x</at> <b>b</b> '
  + '[click](https://evil.example) *b* _i_ ~s~ `c` # h > q | "&" \\ 😀';

export function destinationOf(type: DestinationType, config: object): DestinationDoc {
  return {
    _id: 'd', organization_id: 'o', project_id: 'p', created_by: 'u', name: 'Ops', enabled: true, is_default: true,
    events: DEFAULT_EVENTS, secret: null, revision: 1, created_at: at, updated_at: at, type, config,
  } as unknown as DestinationDoc;
}

/** Sends alerts with one attempt for each recipient, as deliveries do. */
export class AlertSender {
  readonly #poster = new HttpPoster({
    clock: systemClock,
    vetting: createAddressVetting({ resolve: async () => [], allowPrivate: true, clock: systemClock }),
  });

  send(destination: DestinationDoc, alert: AlertDetails) {
    const deps = {
      poster: this.#poster, clock: systemClock, baseUrl: () => 'https://watch.example',
      recipientTokens: { link: () => '' }, acknowledgeTokens: { link: () => '' },
      mailer: { send: () => Promise.reject(new Error('no mail')) }, destinations: { ensureSecret: async () => 'whsec_x' },
    };
    const context = { attemptId: 'attempt', deliveryId: 'delivery', signal: new AbortController().signal };
    const recipients = recipientsOf(destination);
    return Promise.all(recipients.map((recipient) => sendAlert(deps, destination, alert, { ...context, recipient })));
  }

  close(): Promise<void> {
    return this.#poster.close();
  }
}
