import { AppError } from '../errors/app-error.ts';
import { EventStream } from '../http/responses/event-stream.ts';
import { fairUseLimitReached, type Quota } from '../plans/quota.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import { authorOf } from '../http/routing/authorize.ts';
import type { EventHub } from './hub.ts';

export interface EventDeps {
  hub: Pick<EventHub, 'connect'>;
  quota: Pick<Quota, 'limitsOf'>;
}

const MAX_EVENT_ID_LENGTH = 64;

/**
 * Opens a stream of the project's events, resuming after the client's last one. Throws FAIR_USE_LIMIT_REACHED
 * when the caller or the organization has too many streams here, SERVICE_UNAVAILABLE when this controller
 * has.
 */
export async function openEventStream(deps: EventDeps, ctx: ProjectContext): Promise<EventStream> {
  const { actor, tenant, lastEventId = '' } = ctx;
  const { event_streams: maxStreams } = await deps.quota.limitsOf(tenant.organizationId);
  const stream = new EventStream();
  const after = lastEventId === '' ? null : lastEventId.slice(0, MAX_EVENT_ID_LENGTH);
  const refusal = deps.hub.connect(tenant, { user: authorOf(actor), maxStreams }, stream, after);
  if (refusal === null) return stream;
  if (refusal === 'organization_full') throw fairUseLimitReached('open event streams', maxStreams, maxStreams);
  if (refusal === 'user_full') {
    throw new AppError('FAIR_USE_LIMIT_REACHED', 'Too many event streams are open; close one first');
  }
  const message = 'This controller has no room for more event streams; try again';
  throw new AppError('SERVICE_UNAVAILABLE', message);
}
