import { AppError, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { ProjectContext } from '../http/route.ts';
import { fieldError } from '../http/validation.ts';
import type { DestinationDoc, Way } from './destination.ts';
import type { DeliverySide, DestinationHealth, DestinationRepository, SampleOutcome, UrlVetting } from './ports.ts';
import { changedWay, type DestinationChangeInput, type DestinationInput } from './schema.ts';
import { newSigningSecret } from './signing-secret.ts';

export interface DestinationDeps {
  destinations: DestinationRepository;
  vetting: UrlVetting;
  deliveries: DeliverySide;
}

export interface ShownDestination {
  destination: DestinationDoc;
  health: DestinationHealth | undefined;
}

/** A ceiling for every plan: an alert goes to each of them. */
const MOST_IN_PROJECT = 100;
/** Tries of a change that others change at the same time. */
const CHANGE_TRIES = 5;

/** The project's destinations, newest first, each with how it fares. */
export async function listDestinations(deps: DestinationDeps, ctx: ProjectContext): Promise<ShownDestination[]> {
  const all = await deps.destinations.list(ctx.tenant);
  const health = await deps.deliveries.health(all.map((one) => one._id));
  return all.map((destination) => ({ destination, health: health.get(destination._id) }));
}

/** Throws RESOURCE_NOT_FOUND, also for somebody else's. */
export async function readDestination(deps: DestinationDeps, ctx: ProjectContext, id: string): Promise<ShownDestination> {
  const destination = await find(deps, ctx, id);
  return { destination, health: (await deps.deliveries.health([id])).get(id) };
}

/** Throws VALIDATION_ERROR for an address that is not publicly reachable, FAIR_USE_LIMIT_REACHED beyond 100 in the project. */
export async function createDestination(deps: DestinationDeps, ctx: ProjectContext, input: DestinationInput): Promise<ShownDestination> {
  if ((await deps.destinations.count(ctx.tenant)) >= MOST_IN_PROJECT) {
    throw new AppError('FAIR_USE_LIMIT_REACHED', `A project can have at most ${MOST_IN_PROJECT} integrations`, { details: { limit: MOST_IN_PROJECT } });
  }
  const way = wayOf(input);
  await refusePrivate(deps, way);
  const { name, enabled, is_default, events } = input;
  const destination: DestinationDoc = {
    _id: newId(ctx.now),
    organization_id: ctx.tenant.organizationId,
    project_id: ctx.tenant.projectId,
    created_by: ctx.actor.kind === 'session' ? ctx.actor.userId : ctx.actor.createdBy,
    name, enabled, is_default, events, ...way,
    secret: null,
    revision: 1,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await deps.destinations.insert(destination);
  return { destination, health: undefined };
}

/**
 * Changes the fields that are given, of `config` too. Throws VALIDATION_ERROR for a new address that is not publicly
 * reachable and for another type, RESOURCE_NOT_FOUND, CONFLICT when others keep changing it.
 */
export async function changeDestination(deps: DestinationDeps, ctx: ProjectContext, id: string, input: DestinationChangeInput): Promise<ShownDestination> {
  const { name, enabled, is_default, events, config } = input;
  for (let attempt = 0; attempt < CHANGE_TRIES; attempt += 1) {
    const seen = await find(deps, ctx, id);
    if (input.type !== undefined && input.type !== seen.type) throw fieldError('type', 'The type is fixed when the integration is created');
    const way = changedWay(wayOf(seen), config ?? {});
    if (addressOf(way)?.url !== addressOf(wayOf(seen))?.url) await refusePrivate(deps, way);
    const given = Object.fromEntries(Object.entries({ name, enabled, is_default, events }).filter(([, value]) => value !== undefined));
    const destination = await deps.destinations.change(seen, { ...given, config: way.config, updated_at: ctx.now });
    if (destination && isAnother(seen, destination)) await deps.deliveries.destinationChanged(id);
    if (destination) return { destination, health: (await deps.deliveries.health([id])).get(id) };
  }
  throw new AppError('CONFLICT', 'The integration is being changed by somebody else');
}

/** Throws RESOURCE_NOT_FOUND. What was still to be sent to it ends as failed. */
export async function deleteDestination(deps: DestinationDeps, ctx: ProjectContext, id: string): Promise<void> {
  if (!(await deps.destinations.remove(ctx.tenant, id))) throw notFound('Integration');
  await deps.deliveries.destinationGone(id);
}

/** Sends a sample; what the receiver did is in the outcome. Throws RESOURCE_NOT_FOUND. */
export async function testDestination(deps: DestinationDeps, ctx: ProjectContext, id: string): Promise<SampleOutcome> {
  return deps.deliveries.sendSample(await find(deps, ctx, id));
}

/** The signing secret, made when there is none. Throws RESOURCE_NOT_FOUND, VALIDATION_FAILED for what signs nothing. */
export async function openSecret(deps: DestinationDeps, ctx: ProjectContext, id: string): Promise<string> {
  const destination = await findSigning(deps, ctx, id);
  const secret = await deps.destinations.ensureSecret(destination._id, newSigningSecret());
  if (secret === null) throw notFound('Integration');
  return secret;
}

/** A new signing secret; the old one signs nothing from now on. Throws as `openSecret` does. */
export async function rotateSecret(deps: DestinationDeps, ctx: ProjectContext, id: string): Promise<string> {
  await findSigning(deps, ctx, id);
  const secret = newSigningSecret();
  if (!(await deps.destinations.replaceSecret(ctx.tenant, id, secret))) throw notFound('Integration');
  return secret;
}

function isAnother(before: DestinationDoc, after: DestinationDoc): boolean {
  return (before.enabled && !after.enabled) || JSON.stringify(before.config) !== JSON.stringify(after.config);
}

async function find(deps: DestinationDeps, ctx: ProjectContext, id: string): Promise<DestinationDoc> {
  const destination = await deps.destinations.find(ctx.tenant, id);
  if (!destination) throw notFound('Integration');
  return destination;
}

async function findSigning(deps: DestinationDeps, ctx: ProjectContext, id: string): Promise<DestinationDoc> {
  const destination = await find(deps, ctx, id);
  if (destination.type === 'webhook') return destination;
  throw new AppError('VALIDATION_FAILED', `Only webhooks are signed: an integration of type ${destination.type} has no secret`);
}

function wayOf(from: Way): Way {
  switch (from.type) {
    case 'webhook': return { type: from.type, config: from.config };
    case 'email': return { type: from.type, config: from.config };
    case 'slack': return { type: from.type, config: from.config };
  }
}

/** Where it connects to, with the name of that field; null for mail, which goes to a provider. */
function addressOf(way: Way): { url: string; field: string } | null {
  if (way.type === 'webhook') return { url: way.config.url, field: 'config.url' };
  return way.type === 'slack' ? { url: way.config.webhook_url, field: 'config.webhook_url' } : null;
}

async function refusePrivate({ vetting }: DestinationDeps, way: Way): Promise<void> {
  const address = addressOf(way);
  if (address === null) return;
  const refusal = await (way.type === 'slack' ? vetting.secretUrlRefusal(address.url) : vetting.urlRefusal(address.url));
  if (refusal !== null) throw fieldError(address.field, `The address ${refusal}`);
}
