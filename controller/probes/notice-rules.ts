import { isEnrolled, type ProbeDoc } from './probe.ts';
import type { Presence } from './rules.ts';

/** Probe events that destinations can subscribe to. */
export type ProbeEvent = 'probe.offline' | 'probe.online' | 'probe.quarantined' | 'probe.released';

/** A controller's observations about a probe. */
export interface ProbeObservation {
  probe: ProbeDoc;
  isLive: boolean;
  presence: Presence;
  /** How long the probe was silent while the controller was listening, ms. */
  silentMs: number;
  /** Why it is not online. */
  reason: string | null;
}

/** A notice for a probe's operator, sent once. Repeating it with the same `since` changes nothing. */
export interface ProbeNotice {
  event: ProbeEvent;
  probe: ProbeDoc;
  /** When the outage or quarantine began, Unix ms; also for the notice of its end. */
  since: number;
  /** Null if the condition ended. */
  reason: string | null;
}

/** A restart or an update of a probe takes less. */
const OFFLINE_NOTICE_AFTER_MS = 60_000;

/**
 * The notices due now. No offline notice is due while at least two probes, and more than half of them, are
 * silent: the cause is then likely the controllers or their network. Probes already reported do not count.
 */
export function noticesDue(observations: readonly ProbeObservation[]): ProbeNotice[] {
  const observable = observations.filter(({ probe }) => isEnrolled(probe) && probe.last_beat_at !== null);
  const unnotified = observable.filter(({ probe }) => probe.notified_offline === null);
  const silent = unnotified.filter(({ isLive }) => !isLive);
  const isLikelyOurFault = silent.length > 1 && silent.length * 2 > unnotified.length;
  return observable.flatMap((one) => [...presenceNotices(one, isLikelyOurFault), ...quarantineNotices(one)]);
}

function presenceNotices(
  { probe, isLive, presence, silentMs, reason }: ProbeObservation, isLikelyOurFault: boolean,
): ProbeNotice[] {
  const { notified_offline: notifiedSince, last_beat_at: lastBeatAt } = probe;
  if (notifiedSince !== null) {
    const isBack = isLive && presence === 'steady';
    return isBack ? [{ event: 'probe.online', probe, since: notifiedSince, reason: null }] : [];
  }
  if (isLive || isLikelyOurFault || silentMs < OFFLINE_NOTICE_AFTER_MS || lastBeatAt === null) return [];
  return [{ event: 'probe.offline', probe, since: lastBeatAt, reason }];
}

function quarantineNotices({ probe }: ProbeObservation): ProbeNotice[] {
  const { notified_quarantine: notifiedSince, quarantine } = probe;
  if (!quarantine) {
    return notifiedSince === null ? [] : [{ event: 'probe.released', probe, since: notifiedSince, reason: null }];
  }
  const { since, reason } = quarantine;
  return notifiedSince === since ? [] : [{ event: 'probe.quarantined', probe, since, reason }];
}
