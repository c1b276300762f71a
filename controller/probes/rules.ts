import type { Beat } from '../../shared/contracts/beat.ts';
import { isEnrolled, type ProbeDoc } from './probe.ts';

/** Three missed beats. */
const OFFLINE_AFTER_MS = 15_000;
/** One beat missed and the next due within a second: monitors move to the region's other probes. */
const AWAY_AFTER_MS = 9000;
/** The same for a probe with no beat since this controller started: it may still be connecting. */
const NEVER_SEEN_AFTER_MS = 30_000;
/** A returned probe takes monitors again after this time, so that they do not move back and forth. */
const STEADY_AFTER_MS = 15_000;
/** Above this, the status names the offset and the probe's timestamps are corrected. */
const CLOCK_SKEW_MS = 30_000;
/** How long two alternating epochs count as a conflict. */
const CONFLICT_DURATION_MS = 60_000;
const MAX_OFFSETS = 5;
const MAX_EPOCHS = 4;

export type ProbeStatus = 'enrolling' | 'online' | 'offline' | 'draining' | 'quarantined';

interface EpochSeen {
  epoch: string;
  startedAt: number;
}

/** Summary of one probe's beats. `…Mono` are monotonic ms of this process, others Unix ms. */
export interface BeatTrack {
  beat: Beat;
  atMono: number;
  at: number;
  /** Receive time minus the probe's time, for the latest few beats. */
  offsets: number[];
  /** Added to the probe's timestamps, ms; 0 while its clock is about right. */
  clockShiftMs: number;
  /** When its beats resumed after it had been away; null if it never was. */
  returnedAtMono: number | null;
  /** Newest last. One process never returns to an earlier epoch. */
  epochs: EpochSeen[];
  conflict: { untilMono: number; olderEpoch: string } | null;
}

export interface BeatReceipt {
  now: number;
  mono: number;
  /** How long the probe had been silent, by `silentMs`. */
  silentMs: number;
}

/** The track after a beat. An epoch that returns after a later one shows two processes with one identity. */
export function recordBeat(track: BeatTrack | null, beat: Beat, at: BeatReceipt): BeatTrack {
  const offsets = [...(track?.offsets ?? []), at.now - beat.sent_at].slice(-MAX_OFFSETS);
  const offsetMs = clockOffsetMs({ offsets });
  const seen = track?.epochs ?? [];
  const current = seen[seen.length - 1];
  const entry: EpochSeen = { epoch: beat.epoch, startedAt: beat.started_at };
  const others = seen.filter((one) => one.epoch !== beat.epoch);
  const hasReturned = current !== undefined && current.epoch !== beat.epoch && others.length < seen.length;
  const conflict = hasReturned
    ? { untilMono: at.mono + CONFLICT_DURATION_MS, olderEpoch: older(current, entry).epoch }
    : (track?.conflict ?? null);
  return {
    beat,
    atMono: at.mono,
    at: at.now,
    offsets,
    clockShiftMs: Math.abs(offsetMs) > CLOCK_SKEW_MS ? offsetMs : 0,
    returnedAtMono: track && at.silentMs > AWAY_AFTER_MS ? at.mono : (track?.returnedAtMono ?? null),
    epochs: [...others, entry].slice(-MAX_EPOCHS),
    conflict: conflict && conflict.untilMono > at.mono ? conflict : null,
  };
}

/**
 * The controller's clock minus the probe's, ms: the median of the latest beats, because one may be delayed.
 */
export function clockOffsetMs({ offsets }: Pick<BeatTrack, 'offsets'>): number {
  const sorted = [...offsets].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

export interface LivenessView {
  track: BeatTrack | null;
  /** Since when this process can receive beats, monotonic ms; null while it cannot. */
  listeningSinceMono: number | null;
  nowMono: number;
}

/** How long a probe was silent while this process was listening, ms; 0 while it is not. */
export function silentMs(view: LivenessView): number {
  if (view.listeningSinceMono === null) return 0;
  return Math.max(0, view.nowMono - Math.max(view.track?.atMono ?? -Infinity, view.listeningSinceMono));
}

/** Whether the probe is online: by its recent beats or, right after the start, by the database. */
export function isLive(probe: ProbeDoc, view: LivenessView): boolean {
  if (!isEnrolled(probe) || view.track?.beat.leaving) return false;
  if (silentMs(view) > OFFLINE_AFTER_MS) return false;
  return view.track !== null || probe.is_online;
}

/** Whether monitors should run on a probe. `returned`: it was away and its beats resumed only recently. */
export type Presence = 'steady' | 'returned' | 'away';

export function presenceOf(probe: ProbeDoc, view: LivenessView): Presence {
  const { track, listeningSinceMono, nowMono } = view;
  if (!track && !probe.is_online) return 'away';
  if (track?.beat.leaving) return 'away';
  const hasRecentBeat = track !== null && track.atMono >= (listeningSinceMono ?? -Infinity);
  if (silentMs(view) > (hasRecentBeat ? AWAY_AFTER_MS : NEVER_SEEN_AFTER_MS)) return 'away';
  const returnedAt = track?.returnedAtMono ?? null;
  return returnedAt !== null && nowMono - returnedAt < STEADY_AFTER_MS ? 'returned' : 'steady';
}

/** The status that users see, and why it is not simply `online`. */
export function statusOf(
  probe: ProbeDoc,
  view: LivenessView,
  now: number,
): { status: ProbeStatus; reason: string | null } {
  if (!isEnrolled(probe)) {
    const isExpired = (probe.token_expires_at ?? 0) <= now;
    const reason = isExpired ? 'The enrolment token has expired' : 'Waiting for the probe to enrol';
    return { status: 'enrolling', reason };
  }
  if (!isLive(probe, view)) {
    if (view.track?.beat.leaving) return { status: 'offline', reason: 'The probe was stopped' };
    const wasSeen = view.track !== null || probe.last_beat_at !== null;
    const reason = wasSeen ? 'No beat for more than 15 seconds' : 'The probe has not connected yet';
    return { status: 'offline', reason };
  }
  const doubled = doubledReason(view.track, view.nowMono);
  if (doubled !== null) return { status: 'quarantined', reason: doubled };
  if (probe.quarantine) return { status: 'quarantined', reason: probe.quarantine.reason };
  const offset = view.track?.clockShiftMs ?? 0;
  const skew = offset !== 0 ? `Its clock is off by ${Math.round(offset / 1000)} s` : null;
  if (probe.is_draining) return { status: 'draining', reason: skew ?? 'Takes no new monitors' };
  return { status: 'online', reason: skew };
}

/** The reason text for a probe whose identity two processes use; null if only one does. */
export function doubledReason(track: BeatTrack | null, nowMono: number): string | null {
  const conflict = track?.conflict;
  if (!conflict || conflict.untilMono <= nowMono) return null;
  return `Two processes use this identity; stop the older one (epoch ${conflict.olderEpoch})`;
}

function older(one: EpochSeen, other: EpochSeen): EpochSeen {
  if (one.startedAt !== other.startedAt) return one.startedAt < other.startedAt ? one : other;
  return one.epoch < other.epoch ? one : other;
}
