import { derivedId, newId } from '../../../shared/ids.ts';
import type { AlertDetails, Together } from '../../destinations/channels/alert.ts';
import type { DestinationDoc } from '../../destinations/destination.ts';
import type { AttemptDeps } from '../attempt.ts';
import { alertFor } from '../attempt-steps.ts';
import type { DeliveryDoc, SendOutcome } from '../delivery.ts';
import { sendAlert } from '../senders/send-alert.ts';
import { nextMessageAt } from './placement-rules.ts';

/** Names in a message. */
const MAX_NAMES = 20;

type ThreadOutage = Pick<DeliveryDoc, 'incident_id' | 'monitor_id' | 'alert'>;

interface Member {
  delivery: DeliveryDoc;
  destination: DestinationDoc;
}

/** `known`: there is no news for the recipient. `early`: nothing may be sent before `dueAt`, Unix ms. */
type SentThread =
  | { kind: 'known' }
  | { kind: 'early'; dueAt: number }
  /** `record` stores that the message was sent. */
  | { kind: 'attempted'; outcome: SendOutcome; record(): Promise<void> };

const KNOWN: SentThread = Object.freeze({ kind: 'known' });

/**
 * Sends the next message about a cause to one recipient: how many outages there are and how many are over.
 * Outages that still wait for their cause become part of it. `members` is then all that it settles.
 */
export async function sendThread(
  deps: AttemptDeps, threadId: string, members: Member[], signal: AbortSignal,
): Promise<SentThread> {
  const { placement, threads, causes, deliveries, incidents, clock } = deps;
  const thread = await threads.find(threadId);
  const [cause, first] = thread === null
    ? [null, null] : await Promise.all([causes.find(thread.cause_id), deliveries.find(thread.first_id)]);
  const [member] = members;
  if (thread === null || cause === null || first === null || !member) return KNOWN;
  const { pending, outages } = await placement.adopt(thread, cause);
  members.splice(0, Infinity, ...pending.map((delivery) => ({ ...member, delivery })));
  const isOver = !(await incidents.hasOpen(cause._id));
  if (isOver && thread.is_over) return KNOWN;
  // The last message may have been sent since these deliveries were due.
  const dueAt = thread.messages === 0 ? 0 : nextMessageAt(thread, { isOver, isComplete: false }, clock.now());
  if (dueAt > clock.now()) return { kind: 'early', dueAt };
  const { organization_id: organizationId, project_id: projectId } = first;
  const name = await causes.nameOf(cause, { organizationId, projectId });
  const { together, endedAt } = await progressOf(deps, outages);
  const { kind, value, started_at } = cause;
  const { incident } = first.alert;
  const alert: AlertDetails = {
    ...first.alert, id: derivedId(threadId, thread.messages), event: isOver ? 'monitor.up' : 'monitor.down',
    at: clock.now(), together: { kind, name, ...together },
    incident: incident && {
      ...incident, started_at, resolved_at: isOver ? endedAt : null, cause: { id: cause._id, kind, value },
    },
  };
  const { recipient } = thread;
  const context = { attemptId: newId(clock.now()), deliveryId: alert.id, recipient, signal };
  const outcome = await sendAlert(
    deps.sending, member.destination, alertFor(deps.sending, { ...first, alert }), context,
  );
  return { kind: 'attempted', outcome, record: () => threads.recordMessage(thread, isOver, clock.now()) };
}

/** The monitors that the recipient is notified of, and when the last outage ended, Unix ms. */
async function progressOf({ incidents }: AttemptDeps, outages: ThreadOutage[]) {
  const found = await incidents.findMany(outages.flatMap(({ incident_id }) => incident_id ?? []));
  const ended = found.filter(({ status }) => status === 'resolved' || status === 'closed');
  const over = new Set<string | null>(ended.map(({ _id }) => _id));
  const names = new Map(outages.map(({ monitor_id, alert }) => [monitor_id, alert.monitor?.name ?? '']));
  // A monitor may go down again.
  const down = new Set(outages.flatMap((one) => (over.has(one.incident_id) ? [] : [one.monitor_id])));
  const together: Omit<Together, 'kind' | 'name'> = {
    monitors: [...names.values()].slice(0, MAX_NAMES), count: names.size, recovered: names.size - down.size,
  };
  return { together, endedAt: ended.reduce((last, { resolved_at: at }) => Math.max(last, at ?? 0), 0) };
}
