import type { Evidence, PastQuarantine, Quarantine, Trouble } from './probe.ts';
import { clockShiftMs, doubledReason, type BeatTrack } from './rules.ts';

/** How its votes compare with those of most other regions, over all monitors that can be compared. */
export interface Agreement {
  monitors: number;
  /** It says down where the others say up. */
  against: number;
}

/** What one controller knows of a probe. */
export interface ProbeHealth {
  id: string;
  isLive: boolean;
  quarantine: Quarantine | null;
  before: PastQuarantine | null;
  found: Evidence | null;
  /** How long something, or nothing, has been found wrong without a break, ms. */
  forMs: number;
}

export type Decision =
  | { kind: 'enter'; id: string; quarantine: Quarantine }
  | { kind: 'confirm'; id: string; quarantine: Quarantine }
  | { kind: 'leave'; id: string; quarantine: Quarantine };

/** From here on a probe's lateness distorts what it measures. */
const LATE_MS = 2000;
const MISSED_SHARE = 0.5;
const LOST_SHARE = 0.1;
/** So many monitors, and this share of those compared, are no accident. */
const AGAINST = { monitors: 10, share: 0.5 };
/** How long each must last before the probe is quarantined. Votes are compared anew every 80 s at most. */
const PATIENCE_MS: Readonly<Record<Trouble, number>> =
  { doubled: 0, clock: 30_000, late: 60_000, missed: 120_000, lost: 120_000, disagrees: 150_000 };
const CLEAN_MS = 180_000;
const LONGEST_CLEAN_MS = 3_600_000;
/** A quarantine that begins so soon after the last one is a relapse. */
const RELAPSE_WITHIN_MS = 3_600_000;
/** How often it is stored that something is still wrong. */
const CONFIRM_EVERY_MS = 30_000;

/** The most serious of what beats and votes show; null if nothing is wrong. */
export function evidenceOf(
  track: BeatTrack | null, agreement: Agreement | null, nowMono: number,
): Evidence | null {
  const doubled = doubledReason(track, nowMono);
  if (doubled !== null) return { trouble: 'doubled', reason: doubled };
  const offMs = clockShiftMs(track);
  if (offMs !== 0) return { trouble: 'clock', reason: `Its clock is off by ${Math.round(offMs / 1000)} s` };
  const { lateness_ms: lateMs = 0, missed_rate: missed = 0, lost_rate: lost = 0 } = track?.beat ?? {};
  if (lateMs >= LATE_MS) {
    return { trouble: 'late', reason: `Its checks start up to ${Math.round(lateMs / 1000)} s late` };
  }
  if (missed >= MISSED_SHARE) {
    return { trouble: 'missed', reason: `It misses ${Math.round(missed * 100)} % of its checks` };
  }
  if (lost >= LOST_SHARE) {
    return { trouble: 'lost', reason: `It loses ${Math.round(lost * 100)} % of its results because its disk is full or failing` };
  }
  if (!agreement || agreement.against < AGAINST.monitors) return null;
  if (agreement.against < AGAINST.share * agreement.monitors) return null;
  const reason =
    `It reports ${agreement.against} of ${agreement.monitors} monitors down that are up in most other regions`;
  return { trouble: 'disagrees', reason };
}

/**
 * Which probes to quarantine, of which to store that something is still wrong, and which to release. When
 * more than half of the live ones look bad, the fault is likelier ours, and none is added; but a doubled
 * identity is no matter of opinion. Every controller may decide: what is decided twice is the same.
 */
export function decideQuarantines(probes: readonly ProbeHealth[], now: number): Decision[] {
  const spared = new Set(sparedProbes(probes));
  return probes.flatMap((probe): Decision[] => {
    const { id, isLive, quarantine, found } = probe;
    if (!isLive) return [];
    if (quarantine) return decideOne(probe, quarantine, now);
    if (!found || !isDue(probe) || spared.has(probe)) return [];
    const times = { since: now, bad_at: now, clean_ms: cleanMs(probe, now) };
    return [{ kind: 'enter', id, quarantine: { ...found, ...times } }];
  });
}

/** Those that are not quarantined only because more than half of the live ones look bad. */
export function sparedProbes(probes: readonly ProbeHealth[]): ProbeHealth[] {
  const live = probes.filter(({ isLive }) => isLive);
  const due = live.filter((probe) => probe.quarantine === null && isDue(probe));
  const bad = due.length + live.filter(({ quarantine }) => quarantine !== null).length;
  return bad * 2 > live.length ? due.filter(({ found }) => found?.trouble !== 'doubled') : [];
}

function isDue({ found, forMs }: ProbeHealth): boolean {
  return found !== null && forMs >= PATIENCE_MS[found.trouble];
}

function decideOne({ id, found, forMs }: ProbeHealth, quarantine: Quarantine, now: number): Decision[] {
  if (found) {
    const isKnown = found.trouble === quarantine.trouble && now - quarantine.bad_at < CONFIRM_EVERY_MS;
    return isKnown ? [] : [{ kind: 'confirm', id, quarantine: { ...quarantine, ...found, bad_at: now } }];
  }
  // A controller that has started only now has to see for itself, but not for an hour.
  const isClean = now - quarantine.bad_at >= quarantine.clean_ms && forMs >= CLEAN_MS;
  return isClean ? [{ kind: 'leave', id, quarantine }] : [];
}

function cleanMs({ before }: ProbeHealth, now: number): number {
  const isRelapse = before !== null && now - before.ended_at < RELAPSE_WITHIN_MS;
  return isRelapse ? Math.min(LONGEST_CLEAN_MS, before.clean_ms * 2) : CLEAN_MS;
}
