import { AppError } from '../../shared/errors.ts';
import { EventStream } from '../http/event-stream.ts';
import { authorOf, type ProjectContext } from '../http/route.ts';
import type { EventHub } from './hub.ts';

export interface EventDeps {
  hub: Pick<EventHub, 'connect'>;
}

const LONGEST_EVENT_ID = 64;

/**
 * The project's events from now on, or after the last one that the client saw. Throws FAIR_USE_LIMIT_REACHED
 * when the caller has too many streams open, SERVICE_UNAVAILABLE when this controller has.
 */
export function openEventStream(deps: EventDeps, ctx: ProjectContext): EventStream {
  const { actor, tenant, lastEventId = '' } = ctx;
  const stream = new EventStream();
  const after = lastEventId === '' ? null : lastEventId.slice(0, LONGEST_EVENT_ID);
  const refusal = deps.hub.connect(tenant, authorOf(actor), stream, after);
  if (refusal === null) return stream;
  if (refusal === 'user_full') {
    throw new AppError('FAIR_USE_LIMIT_REACHED', 'Too many event streams are open; close one first');
  }
  const message = 'This controller serves as many event streams as it can, please try again';
  throw new AppError('SERVICE_UNAVAILABLE', message);
}
