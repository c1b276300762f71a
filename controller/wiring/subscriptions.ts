import { rawConsumer, subjects } from '../../shared/contracts/subjects.ts';
import { within } from '../../shared/time.ts';
import type { Quota } from '../plans/quota.ts';
import type { BusUser } from '../platform/bus/identities-port.ts';
import type { RawConsumer } from '../platform/bus/raw-consumers.ts';
import { keepRawStream } from '../platform/bus/raw-stream.ts';
import { SubscriptionDirectory } from '../subscriptions/directory.ts';
import { subscriptionRoutes } from '../subscriptions/routes.ts';
import { SubscriptionStore } from '../subscriptions/store.ts';
import { subscriberUser } from '../subscriptions/subscription.ts';
import { deleteSubscriptionsOf } from '../subscriptions/verbs.ts';
import type { ControllerPorts } from './ports.ts';

/** How long a change of subscriptions waits for JetStream; a subscriber may stay connected meanwhile. */
const ENSURED_WITHIN_MS = 1000;

interface VerbsDeps {
  quota: Quota;
  identities: {
    /** Tells all controllers that somebody has got or lost an identity. */
    announce(): void;
    /** Resolves once NATS accepts who has one as the database has it after the call. */
    publish(): Promise<void>;
  };
}

/** Who outside reads results, and the stream that keeps the last hour for them. */
export async function openSubscriptions({ config, mongo, bus, clock, log }: ControllerPorts) {
  const store = new SubscriptionStore(mongo.db);
  await store.ensureIndexes();
  const directory = new SubscriptionDirectory({ store, bus, clock, log });
  const wanted = (): RawConsumer[] => directory.all().map(({ _id: id, organization_id: organization }) => ({
    name: rawConsumer(id), filter: subjects.rawOfOrganization(organization),
  }));
  const stream = keepRawStream({
    bus, clock, log,
    consumers: { wanted, wantedNow: () => directory.refresh().then(wanted) },
  });
  /** Never rejects: when JetStream does not answer in time, the rounds go on trying. */
  const ensured = () => within(clock, ENSURED_WITHIN_MS, stream.run()).catch(() => undefined);
  return {
    directory, stream,
    users: async (): Promise<BusUser[]> => {
      await directory.refresh();
      return directory.all().map(subscriberUser);
    },
    over: ({ quota, identities }: VerbsDeps) => {
      const agree = async (): Promise<void> => {
        // The quickstart's server stops JetStream with its last subscriber, and consumers must go before.
        if (directory.all().length === 0) await ensured();
        await identities.publish();
        await ensured();
      };
      directory.onChange(() => void agree().catch(() => undefined));
      const publish = async (): Promise<void> => {
        identities.announce();
        directory.announce();
        await directory.refresh();
        await agree();
      };
      const deps = { subscriptions: store, quota, publish };
      return {
        routes: subscriptionRoutes(deps, config.nats.publicUrl),
        deleteCreatedBy: (organizationId: string, userId: string) =>
          deleteSubscriptionsOf(deps, organizationId, userId),
      };
    },
  };
}
