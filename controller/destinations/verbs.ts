import { newId } from '../../shared/ids.ts';
import { ownedBy } from '../access/tenant.ts';
import { AppError, notFound } from '../errors/app-error.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import { authorOf } from '../http/routing/authorize.ts';
import { fieldError } from '../http/input/validation.ts';
import type { UseLimits } from '../platform/mongo/limited-uses-port.ts';
import { retryOnConflict } from '../platform/mongo/mongo-errors.ts';
import { CONDITION_FIELDS, type AlertFilter } from './conditions.ts';
import { addressOf, channelOf, foreignVendor, type DestinationSettings } from './channels/registry.ts';
import { MAX_DESTINATIONS_IN_PROJECT, newSigningSecret, type DestinationDoc } from './destination.ts';
import type { DeliveryPort, DestinationHealth, FilterTargets, StoppedAddresses, UrlVetting } from './ports.ts';
import { previewedSettings } from './previewed-settings.ts';
import {
  changedSettings, checkNewSecrets, withoutNulls, type DestinationChangeInput, type DestinationInput,
  type PreviewInput,
} from './schema.ts';
import type { DestinationChange, DestinationStore } from './store.ts';
import { limitsOfTest, TESTS_PER_ORGANIZATION, TESTS_PER_RECIPIENT } from './email-rules.ts';

export interface DestinationDeps {
  destinations: DestinationStore;
  vetting: UrlVetting;
  deliveries: DeliveryPort;
  testMails: UseLimits;
  suppressions: StoppedAddresses;
  targets: FilterTargets;
}

export interface DestinationWithHealth {
  destination: DestinationDoc;
  /** Undefined if the destination was never used. */
  health: DestinationHealth | undefined;
  /** Email addresses of the destination whose recipients stopped alerts. */
  suppressed: string[];
}

/** Newest first. */
export async function listDestinations(deps: DestinationDeps, ctx: ProjectContext) {
  const all = await deps.destinations.list(ctx.tenant);
  return withHealth(deps, ctx, all);
}

/** Throws RESOURCE_NOT_FOUND, including for destinations of other tenants. */
export async function readDestination(deps: DestinationDeps, ctx: ProjectContext, id: string) {
  return withOwnHealth(deps, ctx, await find(deps, ctx, id));
}

/** Newest first. Throws RESOURCE_NOT_FOUND. */
export async function listDeliveries(deps: DestinationDeps, ctx: ProjectContext, id: string, limit: number) {
  const { _id } = await find(deps, ctx, id);
  return deps.deliveries.newest(_id, limit);
}

/**
 * Throws VALIDATION_ERROR for a private address or one of another vendor, FAIR_USE_LIMIT_REACHED if the
 * project already has 100.
 */
export async function createDestination(deps: DestinationDeps, ctx: ProjectContext, input: DestinationInput) {
  checkRoom((await deps.destinations.count(ctx.tenant)) + 1);
  checkNewSecrets(input);
  await rejectForbiddenAddress(deps, ctx, input);
  await rejectUnknownTargets(deps, ctx, input.filter);
  const { name, enabled, is_default, events, type } = input;
  const destination = {
    ...newDestination(ctx), name, enabled, is_default, events, ...conditionsOf(input),
    type, config: withoutNulls(input.config),
    // The compiler cannot see that type and config match.
  } as DestinationDoc;
  await deps.destinations.insert(destination);
  return withOwnHealth(deps, ctx, destination);
}

/** Throws FAIR_USE_LIMIT_REACHED if a project cannot have as many. */
export function checkRoom(count: number): void {
  if (count <= MAX_DESTINATIONS_IN_PROJECT) return;
  const message = `A project can have at most ${MAX_DESTINATIONS_IN_PROJECT} integrations`;
  throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_DESTINATIONS_IN_PROJECT } });
}

/** What a destination has before its settings. */
export function newDestination(ctx: ProjectContext) {
  return {
    _id: newId(ctx.now), ...ownedBy(ctx.tenant), created_by: authorOf(ctx.actor),
    secret: null, revision: 1, created_at: ctx.now, updated_at: ctx.now,
  };
}

/**
 * Changes only the given fields, including those of `config`. Throws RESOURCE_NOT_FOUND, VALIDATION_ERROR for
 * a different type, a private address or one of another vendor, CONFLICT if concurrent changes keep winning.
 */
export async function changeDestination(
  deps: DestinationDeps, ctx: ProjectContext, id: string, input: DestinationChangeInput,
) {
  const { type, config, name, enabled, is_default, events } = input;
  const fields = Object.entries({ name, enabled, is_default, events });
  const changedFields = {
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)), ...conditionsOf(input),
  };
  await rejectUnknownTargets(deps, ctx, input.filter);
  const destination = await reviseDestination(deps, ctx, id, async (seen) => {
    const isOtherType = type !== undefined && type !== seen.type;
    if (isOtherType) throw fieldError('type', 'The type of an integration cannot be changed');
    const settings = changedSettings(seen, config ?? {});
    await rejectForbiddenAddress(deps, ctx, settings, seen);
    return { ...changedFields, config: settings.config };
  });
  return withOwnHealth(deps, ctx, destination);
}

/** Writes what `decide` returns, and decides again if the destination changed meanwhile. */
export function reviseDestination(
  deps: DestinationDeps, ctx: ProjectContext, id: string,
  decide: (seen: DestinationDoc) => Promise<Omit<DestinationChange, 'updated_at'>>,
): Promise<DestinationDoc> {
  return retryOnConflict('The integration is', async () => {
    const seen = await find(deps, ctx, id);
    const destination = await deps.destinations.change(seen, { ...await decide(seen), updated_at: ctx.now });
    if (destination && clearsHealth(seen, destination)) await deps.deliveries.destinationChanged(id);
    return destination;
  });
}

/** Pending deliveries to the destination fail. Throws RESOURCE_NOT_FOUND. */
export async function deleteDestination(deps: DestinationDeps, ctx: ProjectContext, id: string) {
  if (!(await deps.destinations.remove(ctx.tenant, id))) throw notFound('Integration');
  await deps.deliveries.destinationDeleted(id);
}

/** Renders the messages for an outage and for its recovery. Throws VALIDATION_ERROR. */
export function previewDestination({ deliveries }: Pick<DestinationDeps, 'deliveries'>, input: PreviewInput) {
  return deliveries.preview(previewedSettings(input));
}

/**
 * Sends a test alert. A failure of the receiver is an outcome, not an error. Throws RESOURCE_NOT_FOUND, and
 * RATE_LIMIT_EXCEEDED if the limits of test mails do not allow all of its mails; then none is sent.
 */
export async function testDestination(deps: DestinationDeps, ctx: ProjectContext, id: string) {
  const destination = await find(deps, ctx, id);
  if (destination.type !== 'email') return deps.deliveries.sendSample(destination, []);
  const { to } = destination.config;
  const stopped = await deps.suppressions.stoppedOf(ctx.tenant.organizationId, to);
  await claimTestMails(deps, ctx, to.filter((address) => !stopped.includes(address)));
  return deps.deliveries.sendSample(destination, stopped);
}

async function claimTestMails({ testMails }: DestinationDeps, ctx: ProjectContext, recipients: string[]) {
  const freeAt = await testMails.take(limitsOfTest(ctx.tenant.organizationId, recipients), ctx.now);
  if (freeAt === null) return;
  const message = `An address receives at most ${TESTS_PER_RECIPIENT} test emails an hour, and an organization `
    + `sends at most ${TESTS_PER_ORGANIZATION}`;
  const retryAfterSeconds = Math.max(1, Math.ceil((freeAt - ctx.now) / 1000));
  throw new AppError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}

/** Creates the secret on first use. Throws RESOURCE_NOT_FOUND, VALIDATION_FAILED unless it is a webhook. */
export async function ensureSecret(deps: DestinationDeps, ctx: ProjectContext, id: string) {
  await requireWebhook(deps, ctx, id);
  const secret = await deps.destinations.ensureSecret(id, newSigningSecret());
  if (secret === null) throw notFound('Integration');
  return secret;
}

/**
 * Replaces the signing secret immediately. Throws RESOURCE_NOT_FOUND, VALIDATION_FAILED unless it is a
 * webhook.
 */
export async function rotateSecret(deps: DestinationDeps, ctx: ProjectContext, id: string) {
  await requireWebhook(deps, ctx, id);
  const secret = newSigningSecret();
  if (!(await deps.destinations.replaceSecret(ctx.tenant, id, secret))) throw notFound('Integration');
  return secret;
}

async function withHealth(
  { deliveries, suppressions }: DestinationDeps, ctx: ProjectContext, all: DestinationDoc[],
): Promise<DestinationWithHealth[]> {
  const addresses = [...new Set(all.flatMap(mailAddressesOf))];
  const [health, stopped] = await Promise.all([
    deliveries.health(all.map((one) => one._id)),
    suppressions.stoppedOf(ctx.tenant.organizationId, addresses),
  ]);
  return all.map((destination) => {
    const suppressed = mailAddressesOf(destination).filter((address) => stopped.includes(address));
    return { destination, health: health.get(destination._id), suppressed };
  });
}

async function withOwnHealth(deps: DestinationDeps, ctx: ProjectContext, destination: DestinationDoc) {
  return (await withHealth(deps, ctx, [destination]))[0] as DestinationWithHealth;
}

function mailAddressesOf({ type, config }: DestinationSettings): string[] {
  return type === 'email' ? config.to : [];
}

function clearsHealth(before: DestinationDoc, after: DestinationDoc): boolean {
  return (before.enabled && !after.enabled) || JSON.stringify(before.config) !== JSON.stringify(after.config);
}

async function find(deps: DestinationDeps, ctx: ProjectContext, id: string) {
  const destination = await deps.destinations.find(ctx.tenant, id);
  if (!destination) throw notFound('Integration');
  return destination;
}

async function requireWebhook(deps: DestinationDeps, ctx: ProjectContext, id: string) {
  const { type } = await find(deps, ctx, id);
  const message = `Only webhooks are signed; integrations of type ${type} have no secret`;
  if (type !== 'webhook') throw new AppError('VALIDATION_FAILED', message);
}

/** Those that the request contains. */
function conditionsOf(input: DestinationChangeInput) {
  const given = CONDITION_FIELDS.filter((field) => input[field] !== undefined);
  return Object.fromEntries(given.map((field) => [field, input[field]]));
}

/** Throws RESOURCE_NOT_FOUND for a group or monitor that is not in the project. */
export async function rejectUnknownTargets(
  { targets }: Pick<DestinationDeps, 'targets'>, { tenant }: ProjectContext, filter: AlertFilter | null | undefined,
) {
  const { group_ids = [], monitor_ids = [] } = filter ?? {};
  const [groups, monitors] = await Promise.all([
    targets.groups(tenant, group_ids), targets.monitors(tenant, monitor_ids),
  ]);
  if (group_ids.some((id) => !groups.has(id))) throw notFound('Group');
  if (monitor_ids.some((id) => !monitors.has(id))) throw notFound('Monitor');
}

/** Throws VALIDATION_ERROR for a private address or one of another vendor, unless it is the stored one. */
export async function rejectForbiddenAddress(
  { vetting }: Pick<DestinationDeps, 'vetting'>, ctx: ProjectContext, settings: DestinationSettings,
  stored: DestinationSettings | null = null,
) {
  const address = addressOf(settings);
  if (address === null || address.url === (stored && addressOf(stored)?.url)) return;
  const isSecret = channelOf(settings.type).isPlain !== true;
  const refusal = foreignVendor(settings.type, address.url)
    ?? await vetting.destinationRefusal(address.url, isSecret, ctx.tenant.organizationId);
  if (refusal !== null) throw fieldError(address.field, `The address ${refusal}`);
}
