import { AppError } from '../../shared/errors.ts';
import { EventStream } from '../http/event-stream.ts';
import type { ProjectContext } from '../http/route.ts';
import type { EventHub } from './hub.ts';

export interface EventDeps {
  hub: Pick<EventHub, 'connect'>;
}

/** Longest Last-Event-ID that is looked up. */
const LONGEST_ID = 64;

/**
 * The project's events from now on, or from what came after the last one seen. Throws FAIR_USE_LIMIT_REACHED when the
 * caller has too many streams open, SERVICE_UNAVAILABLE when this controller has.
 */
export function openEventStream(deps: EventDeps, ctx: ProjectContext): EventStream {
  const { actor, tenant } = ctx;
  const user = actor.kind === 'session' ? actor.userId : actor.createdBy;
  const stream = new EventStream();
  const lastEventId = ctx.lastEventId === undefined || ctx.lastEventId === '' ? null : ctx.lastEventId.slice(0, LONGEST_ID);
  const refusal = deps.hub.connect(tenant, user, stream, lastEventId);
  if (refusal === 'user_full') throw new AppError('FAIR_USE_LIMIT_REACHED', 'Too many event streams are open; close one first');
  if (refusal === 'full') throw new AppError('SERVICE_UNAVAILABLE', 'This controller serves as many event streams as it can, please try again');
  return stream;
}
