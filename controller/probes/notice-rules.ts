import { isEnrolled, type ProbeDoc } from './probe.ts';
import type { Presence } from './rules.ts';

/** What destinations can ask to be told about probes. */
export type ProbeEvent = 'probe.offline' | 'probe.online' | 'probe.quarantined' | 'probe.released';

/** What a controller knows of a probe. */
export interface ProbeSeen {
  probe: ProbeDoc;
  isLive: boolean;
  presence: Presence;
  /** For how long it could have been heard and was not, ms. */
  silentMs: number;
  /** Why it is not online. */
  reason: string | null;
}

/** Something to tell the operator of a probe, once. Repeating it under the same `since` changes nothing. */
export interface ProbeNotice {
  event: ProbeEvent;
  probe: ProbeDoc;
  /** When the outage or the quarantine began, Unix ms; also of the notice of its end. */
  since: number;
  /** Null when it is over. */
  reason: string | null;
}

/** A restart or an update of a probe takes less. */
const SILENT_MS = 60_000;

/**
 * What is to be told now. While more than one probe, and more than half of them, are silent, nothing is told
 * of that: the fault is likelier in the controllers or their network. Those told of earlier do not count.
 */
export function noticesDue(seen: readonly ProbeSeen[]): ProbeNotice[] {
  const known = seen.filter(({ probe }) => isEnrolled(probe) && probe.last_beat_at !== null);
  const missed = known.filter(({ probe }) => (probe.told_offline ?? null) === null);
  const silent = missed.filter(({ isLive }) => !isLive);
  const isOurs = silent.length > 1 && silent.length * 2 > missed.length;
  return known.flatMap((one) => [...presenceNotices(one, isOurs), ...quarantineNotices(one)]);
}

function presenceNotices(
  { probe, isLive, presence, silentMs, reason }: ProbeSeen, isOurs: boolean,
): ProbeNotice[] {
  const { told_offline: told = null, last_beat_at: lastBeatAt } = probe;
  if (told !== null) {
    const isBack = isLive && presence === 'steady';
    return isBack ? [{ event: 'probe.online', probe, since: told, reason: null }] : [];
  }
  if (isLive || isOurs || silentMs < SILENT_MS || lastBeatAt === null) return [];
  return [{ event: 'probe.offline', probe, since: lastBeatAt, reason }];
}

function quarantineNotices({ probe }: ProbeSeen): ProbeNotice[] {
  const { told_quarantine: told = null, quarantine } = probe;
  if (!quarantine) {
    return told === null ? [] : [{ event: 'probe.released', probe, since: told, reason: null }];
  }
  const { since, reason } = quarantine;
  return told === since ? [] : [{ event: 'probe.quarantined', probe, since, reason }];
}
