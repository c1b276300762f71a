import { rawConsumer, subjects } from '../../shared/contracts/subjects.ts';
import { within } from '../../shared/time.ts';
import type { BusUser } from '../platform/bus/identities-port.ts';
import type { RawConsumer } from '../platform/bus/raw-consumers.ts';
import { maintainRawStream } from '../platform/bus/raw-stream.ts';
import { SubscriptionDirectory } from '../subscriptions/directory.ts';
import { subscriptionRoutes } from '../subscriptions/routes.ts';
import { subscriberUser } from '../subscriptions/subscription.ts';
import { deleteSubscriptionsOf } from '../subscriptions/verbs.ts';
import type { Accounts } from './accounts.ts';
import type { Fleet } from './fleet.ts';
import type { ControllerPorts } from './ports.ts';

/** How long a change of subscriptions waits for JetStream; a subscriber may stay connected meanwhile. */
const ENSURE_TIMEOUT_MS = 1000;

export type RawReaders = ReturnType<typeof openRawReaders>;

/** Who outside reads raw results. */
export function openRawReaders({ stores: { subscriptions: store }, bus, clock, log }: ControllerPorts) {
  const directory = new SubscriptionDirectory({ store, bus, clock, log });
  return {
    directory,
    /** Their users of NATS. */
    users: async (): Promise<BusUser[]> => {
      await directory.refresh();
      return directory.all().map(subscriberUser);
    },
  };
}

interface SubscriptionSources {
  readers: RawReaders;
  accounts: Pick<Accounts, 'quota'>;
  fleet: Pick<Fleet, 'identities'>;
}

/** Subscriptions of raw results, and the stream that keeps the last hour for them. */
export function openSubscriptions(
  { natsUrl, stores, bus, clock, log }: ControllerPorts,
  { readers: { directory }, accounts: { quota }, fleet: { identities } }: SubscriptionSources,
) {
  const wanted = (): RawConsumer[] => directory.all().map(({ _id: id, organization_id: organization }) => ({
    name: rawConsumer(id), filter: subjects.rawOfOrganization(organization),
  }));
  const stream = maintainRawStream({
    bus, clock, log,
    consumers: { wanted, reloadWanted: () => directory.refresh().then(wanted) },
  });
  /** Never rejects: when JetStream does not respond in time, the task retries. */
  const ensureStream = () => within(clock, ENSURE_TIMEOUT_MS, stream.run()).catch(() => undefined);
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
  const deps = { subscriptions: stores.subscriptions, quota, publish };
  return {
    stream,
    routes: subscriptionRoutes(deps, natsUrl),
    /** Those that a member created. */
    ofMember: {
      createdBy: (organizationId: string, userId: string) =>
        stores.subscriptions.createdBy(organizationId, userId),
      deleteCreatedBy: (organizationId: string, userId: string) =>
        deleteSubscriptionsOf(deps, organizationId, userId),
    },
  };
}
