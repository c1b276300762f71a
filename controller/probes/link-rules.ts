import type { Beat } from '../../shared/contracts/beat.ts';
import { edgesAfterBeat, type EdgeTrack, type PeerOf } from './mesh-rules.ts';
import type { ProbeDoc } from './probe.ts';
import {
  isLive, presenceOf, silentMs, statusOf, recordBeat, type BeatTrack, type LivenessView,
  type Presence, type ProbeStatus,
} from './rules.ts';

const NOTE_INTERVAL_MS = 60_000;

/** A controller's view of one probe: its beats, and whether it is alive. */
export interface ProbeLink {
  readonly track: BeatTrack | null;
  /** As of the latest tick; null before the first. */
  readonly seen: { readonly isLive: boolean; readonly status: ProbeStatus } | null;
  readonly presence: Presence | null;
  /** When its document was last updated, or the link began, monotonic ms. */
  readonly notedAtMono: number;
  /** To the probes that it pings. */
  readonly edges: readonly EdgeTrack[];
}

/** The circumstances of a beat or tick. */
export interface LinkMoment {
  probe: ProbeDoc;
  now: number;
  nowMono: number;
  /** Since when this process receives beats, monotonic ms; null while it does not. */
  listeningSinceMono: number | null;
}

export type LinkEffect =
  | { kind: 'clockIsWrong'; shiftMs: number }
  /** Two processes use the probe's identity. */
  | { kind: 'doubled'; epochs: BeatTrack['epochs']; older: string }
  | { kind: 'statusChanged'; status: ProbeStatus; reason: string | null }
  | { kind: 'livenessChanged'; isLive: boolean }
  /** Monitors should start or stop running on the probe. */
  | { kind: 'presenceChanged' }
  /** The probe's document is due for an update. */
  | { kind: 'note'; isOnline: boolean };

export interface LinkStep {
  link: ProbeLink;
  effects: LinkEffect[];
}

export function newLink(nowMono: number): ProbeLink {
  return { track: null, seen: null, presence: null, notedAtMono: nowMono, edges: [] };
}

export function linkAfterBeat(link: ProbeLink, beat: Beat, moment: LinkMoment, peerOf: PeerOf): LinkStep {
  const { now, nowMono: mono } = moment;
  const { track: before } = link;
  const track = recordBeat(before, beat, { now, mono, silentMs: silentMs(viewOf(link, moment)) });
  const effects: LinkEffect[] = [];
  const { clockShiftMs: shiftMs } = track;
  if (shiftMs !== 0 && (before?.clockShiftMs ?? 0) === 0) effects.push({ kind: 'clockIsWrong', shiftMs });
  if (track.conflict && !before?.conflict) {
    effects.push({ kind: 'doubled', epochs: track.epochs, older: track.conflict.olderEpoch });
  }
  const edges = edgesAfterBeat(link.edges, beat.mesh?.pings ?? [], now, peerOf);
  return withPresence({ link: { ...link, track, edges }, effects }, moment);
}

/** Once a second while this process receives beats. */
export function linkAfterTick(link: ProbeLink, moment: LinkMoment): LinkStep {
  const { probe, now, nowMono } = moment;
  const { seen } = link;
  const view = viewOf(link, moment);
  const live = isLive(probe, view);
  const { status, reason } = statusOf(probe, view, now);
  const effects: LinkEffect[] = [];
  if (seen && seen.status !== status) effects.push({ kind: 'statusChanged', status, reason });
  const wasLive = seen ? seen.isLive : probe.is_online;
  if (wasLive !== live) effects.push({ kind: 'livenessChanged', isLive: live });
  const isFirstBeat = !seen && link.track !== null;
  const isNoteOld = nowMono - link.notedAtMono >= NOTE_INTERVAL_MS;
  const isNoteDue = wasLive !== live || isFirstBeat || (live && isNoteOld);
  if (isNoteDue) effects.push({ kind: 'note', isOnline: live });
  const notedAtMono = isNoteDue ? nowMono : link.notedAtMono;
  return withPresence({ link: { ...link, seen: { isLive: live, status }, notedAtMono }, effects }, moment);
}

function withPresence({ link, effects }: LinkStep, moment: LinkMoment): LinkStep {
  const presence = presenceOf(moment.probe, viewOf(link, moment));
  if (link.presence !== null && link.presence !== presence) effects.push({ kind: 'presenceChanged' });
  return { link: { ...link, presence }, effects };
}

function viewOf({ track }: ProbeLink, { listeningSinceMono, nowMono }: LinkMoment): LivenessView {
  return { track, listeningSinceMono, nowMono };
}
