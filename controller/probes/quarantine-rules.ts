import type { ProbeProblem, PreviousQuarantine, Quarantine, ProbeProblemKind } from './probe.ts';
import { doubledReason, type BeatTrack } from './rules.ts';

/** Compares its votes with the majority of the other regions, over all comparable monitors. */
export interface Agreement {
  monitors: number;
  /** Votes down where the majority voted up. */
  against: number;
}

/** A controller's observations about a probe. */
export interface ProbeHealth {
  id: string;
  isLive: boolean;
  quarantine: Quarantine | null;
  before: PreviousQuarantine | null;
  found: ProbeProblem | null;
  /** How long the problem, or its absence, has lasted continuously, ms. */
  unchangedMs: number;
}

export type QuarantineDecision =
  | { kind: 'enter'; id: string; quarantine: Quarantine }
  | { kind: 'confirm'; id: string; quarantine: Quarantine }
  | { kind: 'leave'; id: string; quarantine: Quarantine };

/** Above this, a probe's lateness distorts its measurements. */
const LATE_MS = 2000;
const MISSED_SHARE = 0.5;
const LOST_SHARE = 0.1;
/** More disagreement than this is no coincidence: this many monitors, and this share of those compared. */
const MIN_DISAGREEMENT = { monitors: 10, share: 0.5 };
/**
 * How long each problem must hold continuously before a quarantine. Votes are compared at least every 80 s.
 */
const MIN_PROBLEM_DURATION_MS: Readonly<Record<ProbeProblemKind, number>> =
  { doubled: 0, clock: 30_000, late: 60_000, missed: 120_000, lost: 120_000, disagrees: 150_000 };
const CLEAN_MS = 180_000;
const MAX_CLEAN_MS = 3_600_000;
/** A quarantine that begins within this time after the last one is a relapse. */
const RELAPSE_WITHIN_MS = 3_600_000;
/** The load of a probe that has not sent a beat. */
const NO_LOAD = { lateness_ms: 0, missed_rate: 0, lost_rate: 0 };
/** How often an ongoing problem is stored. */
const CONFIRM_INTERVAL_MS = 30_000;

/** The most serious problem in beats and votes; null if there is none. */
export function problemOf(
  track: BeatTrack | null, agreement: Agreement | null, nowMono: number,
): ProbeProblem | null {
  const doubled = doubledReason(track, nowMono);
  if (doubled !== null) return { problem: 'doubled', reason: doubled };
  const clockOffsetMs = track?.clockShiftMs ?? 0;
  if (clockOffsetMs !== 0) return { problem: 'clock', reason: `Its clock is off by ${Math.round(clockOffsetMs / 1000)} s` };
  const { lateness_ms: lateMs, missed_rate: missed, lost_rate: lost } = track?.beat ?? NO_LOAD;
  if (lateMs >= LATE_MS) {
    return { problem: 'late', reason: `Its checks start up to ${Math.round(lateMs / 1000)} s late` };
  }
  if (missed >= MISSED_SHARE) {
    return { problem: 'missed', reason: `It misses ${Math.round(missed * 100)} % of its checks` };
  }
  if (lost >= LOST_SHARE) {
    return { problem: 'lost', reason: `It loses ${Math.round(lost * 100)} % of its results because its disk is full or failing` };
  }
  if (!agreement || agreement.against < MIN_DISAGREEMENT.monitors) return null;
  if (agreement.against < MIN_DISAGREEMENT.share * agreement.monitors) return null;
  const reason =
    `It reports ${agreement.against} of ${agreement.monitors} monitors down that are up in most other regions`;
  return { problem: 'disagrees', reason };
}

/**
 * Which probes to quarantine, confirm or release. Adds none while more than half of the live probes look bad,
 * because the fault is then likely ours; a doubled identity is certain. All controllers may decide: the
 * decisions are idempotent.
 */
export function decideQuarantines(probes: readonly ProbeHealth[], now: number): QuarantineDecision[] {
  const spared = new Set(sparedProbes(probes));
  return probes.flatMap((probe): QuarantineDecision[] => {
    const { id, isLive, quarantine, found } = probe;
    if (!isLive) return [];
    if (quarantine) return decideOne(probe, quarantine, now);
    if (!found || !isDue(probe) || spared.has(probe)) return [];
    const times = { since: now, bad_at: now, clean_ms: cleanMs(probe, now) };
    return [{ kind: 'enter', id, quarantine: { ...found, ...times } }];
  });
}

/** Probes not quarantined only because more than half of the live ones look bad. */
export function sparedProbes(probes: readonly ProbeHealth[]): ProbeHealth[] {
  const live = probes.filter(({ isLive }) => isLive);
  const due = live.filter((probe) => probe.quarantine === null && isDue(probe));
  const bad = due.length + live.filter(({ quarantine }) => quarantine !== null).length;
  return bad * 2 > live.length ? due.filter(({ found }) => found?.problem !== 'doubled') : [];
}

function isDue({ found, unchangedMs }: ProbeHealth): boolean {
  return found !== null && unchangedMs >= MIN_PROBLEM_DURATION_MS[found.problem];
}

function decideOne(
  { id, found, unchangedMs }: ProbeHealth, quarantine: Quarantine, now: number,
): QuarantineDecision[] {
  if (found) {
    const isRecentlyConfirmed =
      found.problem === quarantine.problem && now - quarantine.bad_at < CONFIRM_INTERVAL_MS;
    return isRecentlyConfirmed ? [] : [{ kind: 'confirm', id, quarantine: { ...quarantine, ...found, bad_at: now } }];
  }
  // A controller that has just started must observe for itself, but not for an hour.
  const isClean = now - quarantine.bad_at >= quarantine.clean_ms && unchangedMs >= CLEAN_MS;
  return isClean ? [{ kind: 'leave', id, quarantine }] : [];
}

function cleanMs({ before }: ProbeHealth, now: number): number {
  const isRelapse = before !== null && now - before.ended_at < RELAPSE_WITHIN_MS;
  return isRelapse ? Math.min(MAX_CLEAN_MS, before.clean_ms * 2) : CLEAN_MS;
}
