import { newId } from '../../shared/ids.ts';
import { notFound } from '../errors/app-error.ts';
import type { OrganizationContext } from '../http/routing/route.ts';
import { authorOf } from '../http/routing/authorize.ts';
import { fairUseLimitReached, type Quota } from '../plans/quota.ts';
import { newUserKey } from '../platform/bus/nkeys.ts';
import type { SubscriptionInput, SubscriptionView } from './schema.ts';
import type { SubscriptionStore } from './store.ts';
import { viewSubscription } from './subscription.ts';

export interface SubscriptionDeps {
  subscriptions: SubscriptionStore;
  quota: Pick<Quota, 'reserve' | 'release'>;
  /** Resolves when NATS accepts exactly the subscribers that are now in the database. */
  publish(): Promise<void>;
}

/** Oldest first. The plan limit keeps the list short. */
export async function listSubscriptions(
  { subscriptions }: SubscriptionDeps, { tenant }: OrganizationContext,
): Promise<SubscriptionView[]> {
  return (await subscriptions.ofOrganization(tenant.organizationId)).map(viewSubscription);
}

/** Throws RESOURCE_NOT_FOUND. */
export async function readSubscription(
  { subscriptions }: SubscriptionDeps, { tenant }: OrganizationContext, id: string,
): Promise<SubscriptionView> {
  const doc = await subscriptions.find(tenant.organizationId, id);
  if (doc === null) throw notFound('Subscription');
  return viewSubscription(doc);
}

/** Returns the seed, which is not stored. Throws FAIR_USE_LIMIT_REACHED. */
export async function createSubscription(
  { subscriptions, quota, publish }: SubscriptionDeps, ctx: OrganizationContext, { name }: SubscriptionInput,
): Promise<{ subscription: SubscriptionView; seed: string }> {
  const { tenant: { organizationId }, actor, now } = ctx;
  const reservation = await quota.reserve(organizationId, 'subscriptions');
  if (!reservation.isGranted) {
    throw fairUseLimitReached('subscriptions', reservation.limit, reservation.usage);
  }
  const { publicKey: public_key, seed } = newUserKey();
  const doc = {
    _id: newId(now), organization_id: organizationId, name, public_key, created_by: authorOf(actor),
    created_at: now,
  };
  await subscriptions.insert(doc);
  await publish();
  return { subscription: viewSubscription(doc), seed };
}

/** Resolves when NATS has closed the subscriber's connections. Throws RESOURCE_NOT_FOUND. */
export async function deleteSubscription(
  { subscriptions, quota, publish }: SubscriptionDeps, { tenant }: OrganizationContext, id: string,
): Promise<void> {
  if (!(await subscriptions.delete(tenant.organizationId, id))) throw notFound('Subscription');
  await quota.release(tenant.organizationId, 'subscriptions');
  await publish();
}

/** Deletes a member's subscriptions and returns how many. Resolves when NATS has closed their connections. */
export async function deleteSubscriptionsOf(
  { subscriptions, quota, publish }: SubscriptionDeps, organizationId: string, userId: string,
): Promise<number> {
  const count = await subscriptions.deleteCreatedBy(organizationId, userId);
  if (count === 0) return 0;
  await quota.release(organizationId, 'subscriptions', count);
  await publish();
  return count;
}
