import type { SentMessage } from './simulated-alerting.ts';

/** A message of which somebody else tells too. */
type Message = SentMessage & {
  /** What it is about: its cause if the receiver groups alerts, else its incident. */
  subject: string;
};

export interface ComparedMessages {
  sent: Message[];
  rehearsed: Message[];
  /** By subject, when its outages ended or were acknowledged, and when those of a cause began. Unix ms. */
  moments: ReadonlyMap<string, number[]>;
  /** Incidents that people ended: when their outages were over was noticed some minutes later at most. */
  endedByHand: ReadonlySet<string>;
  /** The end of the history, Unix ms. */
  endMs: number;
}

/** Clocks of machines differ by up to 2 s, checks and their results take another, and what is due is polled. */
const MAX_APART_MS = 10_000;
/** Each reminder is due some time after the last one was sent, up to a second after it was due. */
const DRIFT_MS = 1200;
/** A region is silent, and another recovers twice. */
const UNNOTICED_MS = 270_000;

/**
 * What receivers did not get although the rehearsal tells so, and the reverse. It may depend on a second
 * whether what is due while its outage ends or is acknowledged is sent: these differences are left out.
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

/** Those of which no other tells at about the same time. */
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
