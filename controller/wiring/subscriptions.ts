import { rawConsumer, subjects } from '../../shared/contracts/subjects.ts';
import { within } from '../../shared/time.ts';
import type { Quota } from '../plans/quota.ts';
import type { BusUser } from '../platform/bus/identities-port.ts';
import type { RawConsumer } from '../platform/bus/raw-consumers.ts';
import { maintainRawStream } from '../platform/bus/raw-stream.ts';
import { SubscriptionDirectory } from '../subscriptions/directory.ts';
import { subscriptionRoutes } from '../subscriptions/routes.ts';
import { subscriberUser } from '../subscriptions/subscription.ts';
import { deleteSubscriptionsOf } from '../subscriptions/verbs.ts';
import type { ControllerPorts } from './ports.ts';

/** How long a change of subscriptions waits for JetStream; a subscriber may stay connected meanwhile. */
const ENSURE_TIMEOUT_MS = 1000;

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
export function openSubscriptions({ config, stores, bus, clock, log }: ControllerPorts) {
  const store = stores.subscriptions;
  const directory = new SubscriptionDirectory({ store, bus, clock, log });
  const wanted = (): RawConsumer[] => directory.all().map(({ _id: id, organization_id: organization }) => ({
    name: rawConsumer(id), filter: subjects.rawOfOrganization(organization),
  }));
  const stream = maintainRawStream({
    bus, clock, log,
    consumers: { wanted, reloadWanted: () => directory.refresh().then(wanted) },
  });
  /** Never rejects: when JetStream does not answer in time, the rounds go on trying. */
  const ensureStream = () => within(clock, ENSURE_TIMEOUT_MS, stream.run()).catch(() => undefined);
  return {
    directory, stream,
    users: async (): Promise<BusUser[]> => {
      await directory.refresh();
      return directory.all().map(subscriberUser);
    },
    over: ({ quota, identities }: VerbsDeps) => {
      const reconcile = async (): Promise<void> => {
        // The quickstart's server stops JetStream with its last subscriber, and consumers must go before.
        if (directory.all().length === 0) await ensureStream();
        await identities.publish();
        await ensureStream();
      };
      directory.onChange(() => void reconcile().catch(() => undefined));
      const publish = async (): Promise<void> => {
        identities.announce();
        directory.announce();
        await directory.refresh();
        await reconcile();
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
