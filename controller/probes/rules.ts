import type { Beat } from '../../shared/contracts/beat.ts';
import { isEnrolled, type ProbeDoc } from './probe.ts';

/** Three missed beats. */
export const OFFLINE_AFTER_MS = 15_000;
/** A clock further off than this is named, and the times of its results are corrected. */
export const CLOCK_SKEW_MS = 30_000;
/** How long two epochs that took turns are remembered as a conflict. */
export const CONFLICT_FOR_MS = 60_000;
const OFFSETS_KEPT = 5;
const EPOCHS_KEPT = 4;

export type ProbeStatus = 'enrolling' | 'online' | 'offline' | 'draining' | 'quarantined';

interface EpochSeen {
  epoch: string;
  startedAt: number;
}

/** What the beats of one probe have told so far. `…Mono` are monotonic ms of this process, others Unix ms. */
export interface BeatTrack {
  beat: Beat;
  atMono: number;
  at: number;
  /** Receive time minus the probe's time, the latest few. */
  offsets: number[];
  /** Newest last. A single process never goes back to an earlier one. */
  epochs: EpochSeen[];
  conflict: { untilMono: number; olderEpoch: string } | null;
}

/** The track after a beat. Two processes with one identity show by an epoch that returns after a later one. */
export function takeBeat(track: BeatTrack | null, beat: Beat, at: { now: number; mono: number }): BeatTrack {
  const offsets = [...(track?.offsets ?? []), at.now - beat.sent_at].slice(-OFFSETS_KEPT);
  const seen = track?.epochs ?? [];
  const current = seen[seen.length - 1];
  const entry: EpochSeen = { epoch: beat.epoch, startedAt: beat.started_at };
  const others = seen.filter((one) => one.epoch !== beat.epoch);
  const returned = current !== undefined && current.epoch !== beat.epoch && others.length < seen.length;
  const conflict = returned
    ? { untilMono: at.mono + CONFLICT_FOR_MS, olderEpoch: older(current, entry).epoch }
    : (track?.conflict ?? null);
  return {
    beat,
    atMono: at.mono,
    at: at.now,
    offsets,
    epochs: [...others, entry].slice(-EPOCHS_KEPT),
    conflict: conflict && conflict.untilMono > at.mono ? conflict : null,
  };
}

/** The controller's clock minus the probe's, ms: the median of the latest beats, so one late message does not show. */
export function clockOffsetMs(track: BeatTrack): number {
  const sorted = [...track.offsets].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

/** What its times are corrected by, ms: nothing while its clock is about right. */
export function clockShiftMs(track: BeatTrack | null): number {
  const offset = track ? clockOffsetMs(track) : 0;
  return Math.abs(offset) > CLOCK_SKEW_MS ? offset : 0;
}

export interface LivenessView {
  track: BeatTrack | null;
  /** Since when beats would have reached us, monotonic ms; null while they cannot. */
  listeningSinceMono: number | null;
  nowMono: number;
}

/**
 * For how long nothing came from a probe although it would have been heard, ms; 0 while nothing can be heard, since
 * our own deafness is not the probe's silence.
 */
export function silentMs(view: LivenessView): number {
  if (view.listeningSinceMono === null) return 0;
  return Math.max(0, view.nowMono - Math.max(view.track?.atMono ?? -Infinity, view.listeningSinceMono));
}

/** Whether the probe is taken to run: heard lately or, while too little time has passed to tell, as it was last known. */
export function isLive(probe: ProbeDoc, view: LivenessView): boolean {
  if (!isEnrolled(probe)) return false;
  if (silentMs(view) > OFFLINE_AFTER_MS) return false;
  return view.track !== null || probe.is_online;
}

/** The status that people see, and why it is not simply `online`. */
export function statusOf(probe: ProbeDoc, view: LivenessView, now: number): { status: ProbeStatus; reason: string | null } {
  if (!isEnrolled(probe)) {
    const isExpired = (probe.token_expires_at ?? 0) <= now;
    return { status: 'enrolling', reason: isExpired ? 'The enrolment token has expired' : 'Waiting for the probe to enrol' };
  }
  if (!isLive(probe, view)) {
    const wasSeen = view.track !== null || probe.last_beat_at !== null;
    return { status: 'offline', reason: wasSeen ? 'No beat for more than 15 seconds' : 'It has not connected yet' };
  }
  const { track } = view;
  if (track?.conflict && track.conflict.untilMono > view.nowMono) {
    return { status: 'quarantined', reason: `Two processes use this identity; stop the older one (epoch ${track.conflict.olderEpoch})` };
  }
  const offset = clockShiftMs(track);
  const skew = offset !== 0 ? `Its clock is off by ${Math.round(offset / 1000)} s` : null;
  return probe.is_draining ? { status: 'draining', reason: skew ?? 'Takes no new monitors' } : { status: 'online', reason: skew };
}

function older(one: EpochSeen, other: EpochSeen): EpochSeen {
  if (one.startedAt !== other.startedAt) return one.startedAt < other.startedAt ? one : other;
  return one.epoch < other.epoch ? one : other;
}
