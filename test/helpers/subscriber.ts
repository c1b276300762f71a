import { connect, nkeyAuthenticator, type Consumer, type NatsConnection } from 'nats';
import type { SubscriptionView } from '../../controller/subscriptions/schema.ts';
import { serverOptions } from '../../shared/nats-connection.ts';
import { until } from './until.ts';

/** The API's response when a subscription is created. */
export interface IssuedSubscription {
  subscription: SubscriptionView;
  nats_url: string;
  seed: string;
}

/** An external program that reads with a subscription's credential. */
export class Subscriber {
  readonly nc: NatsConnection;
  readonly issued: IssuedSubscription;
  /** What the server rejected: `publish <subject>` or `subscription <subject>`. */
  readonly refused: string[] = [];
  /** Everything received on its own subjects. */
  readonly received: { subject: string; text: string }[] = [];

  constructor(nc: NatsConnection, issued: IssuedSubscription) {
    this.nc = nc;
    this.issued = issued;
    void (async () => {
      for await (const { permissionContext: refusal } of nc.status()) {
        if (refusal) this.refused.push(`${refusal.operation} ${refusal.subject}`);
      }
    })();
  }

  static async connect(issued: IssuedSubscription): Promise<Subscriber> {
    const nc = await connect({
      ...await serverOptions(issued.nats_url), reconnect: false, inboxPrefix: issued.subscription.inbox_prefix,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(issued.seed)),
    });
    return new Subscriber(nc, issued);
  }

  /** Subscribes to everything it is permitted to. */
  async listen(): Promise<void> {
    for (const subject of this.issued.subscription.subjects) {
      this.nc.subscribe(subject, { callback: (_error, message) =>
        void this.received.push({ subject: message.subject, text: message.string() }) });
    }
    await this.nc.flush();
  }

  /** Waits until its consumer exists. */
  consumer(): Promise<Consumer> {
    const { domain, stream, consumer } = this.issued.subscription;
    const { consumers } = this.nc.jetstream({ domain });
    return until(() => consumers.get(stream, consumer).catch(() => null), { what: 'a consumer' });
  }

  /** Fetches and acknowledges pending messages of its consumer, up to `maxMessages`. */
  async fetch(maxMessages: number): Promise<string[]> {
    const own = await this.consumer();
    const texts: string[] = [];
    for await (const message of await own.fetch({ max_messages: maxMessages, expires: 2000 })) {
      texts.push(message.string());
      await message.ackAck();
    }
    return texts;
  }
}
