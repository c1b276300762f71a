import type { SentMessage } from './simulated-alerting.ts';

/** A message of the history or of its rehearsal. */
type Message = SentMessage & {
  /** What it is about: its cause if the receiver groups alerts, else its incident. */
  subject: string;
};

export interface ComparedMessages {
  sent: Message[];
  rehearsed: Message[];
  /** When the outages of each subject ended or were acknowledged, and when those of a cause began; Unix ms. */
  moments: ReadonlyMap<string, number[]>;
  /** Incidents that people ended. The ends of their outages were noticed up to some minutes later. */
  endedByHand: ReadonlySet<string>;
  /** The end of the history, Unix ms. */
  endMs: number;
}

/** Clocks of machines differ by up to 2 s, a check and its result take another, and due messages are polled for. */
const MAX_APART_MS = 10_000;
/** A reminder is sent up to a second after it is due, which delays all later ones. */
const DRIFT_MS = 1200;
/** The time until a region counts as silent, and another has recovered twice. */
const UNNOTICED_MS = 270_000;

/**
 * Messages that were sent but not rehearsed, and the reverse. Whether a message is sent that is due just as its outage
 * ends or is acknowledged may depend on a second: such differences are left out.
 */
export function messageDifferences({ sent, rehearsed, moments, endedByHand, endMs }: ComparedMessages): string[] {
  const found = [
    ...unmatched(sent, rehearsed, endedByHand).map((one) => ({ ...one, what: 'not rehearsed' })),
    ...unmatched(rehearsed, sent, endedByHand).map((one) => ({ ...one, what: 'not sent' })),
  ].sort((one, other) => one.at - other.at);
  const isClose = new Map<string, boolean>();
  return found.flatMap(({ what, toleranceMs, ...message }) => {
    const { at, kind, subject, destination_id } = message;
    const place = `${destination_id} ${subject}`;
    if (!isClose.has(place)) {
      const isNear = (moment: number) => Math.abs(moment - at) <= toleranceMs;
      isClose.set(place, isNear(endMs) || (kind !== 'up' && (moments.get(subject) ?? []).some(isNear)));
    }
    return isClose.get(place) ? [] : [`${what}: ${JSON.stringify(message)}`];
  });
}

/** Messages without a counterpart at about the same time. */
function unmatched(
  some: Message[], others: Message[], endedByHand: ReadonlySet<string>,
): (Message & { toleranceMs: number })[] {
  const left = [...others];
  const counts = new Map<string, number>();
  return some.flatMap((one) => {
    const key = keyOf(one);
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    const { kind, incident_id } = one;
    const isUnnoticed = kind === 'up' && endedByHand.has(incident_id);
    const toleranceMs = isUnnoticed ? UNNOTICED_MS : MAX_APART_MS + (kind === 'reminder' ? before * DRIFT_MS : 0);
    const at = left.findIndex((other) => keyOf(other) === key && Math.abs(other.at - one.at) <= toleranceMs);
    if (at >= 0) left.splice(at, 1);
    return at < 0 ? [{ ...one, toleranceMs }] : [];
  });
}

function keyOf({ destination_id, kind, monitor_id, incident_id, subject }: Message): string {
  return [destination_id, kind, monitor_id, incident_id, subject].join(' ');
}
