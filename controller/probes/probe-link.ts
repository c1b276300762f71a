import type { ActorContext, Behaviour } from '../../shared/actor/actor.ts';
import type { Beat } from '../../shared/contracts/beat.ts';
import type { Log } from '../../shared/log.ts';
import type { ProbeDoc } from './probe.ts';
import {
  clockShiftMs, isLive, presenceOf, silentMs, statusOf, recordBeat, type BeatTrack, type LivenessView,
  type Presence, type ProbeStatus,
} from './rules.ts';
import type { BeatNote } from './store.ts';

const NOTE_INTERVAL_MS = 60_000;

/** `listeningSinceMono`: since when this process receives beats, monotonic ms; null while it does not. */
export type LinkMessage =
  { probe: ProbeDoc; listeningSinceMono: number | null } & (
    | { kind: 'beat'; beat: Beat }
    /** Sent every second while this process receives beats. */
    | { kind: 'tick' }
  );

export interface ProbeLinkPorts {
  log: Log;
  /** Publishes the summary of the beats so far. */
  publish(track: BeatTrack): void;
  /** Called when the probe comes online or goes offline. */
  onLivenessChanged(probe: ProbeDoc, isLive: boolean): void;
  /** Called when monitors should start or stop running on the probe. */
  onPresenceChanged(probe: ProbeDoc): void;
  /** Queues an update of the probe's document. */
  note(note: BeatNote): void;
}

/** This controller's view of one probe: its beats, and whether it is alive. */
export class ProbeLink implements Behaviour<LinkMessage> {
  readonly #ports: ProbeLinkPorts;
  readonly #context: ActorContext<LinkMessage>;
  #track: BeatTrack | null = null;
  /** As of the latest tick; null before the first. */
  #seen: { isLive: boolean; status: ProbeStatus } | null = null;
  #presence: Presence | null = null;
  #notedAtMono: number;

  constructor(ports: ProbeLinkPorts, context: ActorContext<LinkMessage>) {
    this.#ports = ports;
    this.#context = context;
    this.#notedAtMono = context.clock.monotonic();
  }

  receive(message: LinkMessage): void {
    if (message.kind === 'beat') this.#onBeat(message);
    else this.#evaluate(message);
    this.#updatePresence(message);
  }

  #onBeat(message: LinkMessage & { kind: 'beat' }): void {
    const { probe: { _id: probe_id, name: probe_name }, beat } = message;
    const { log, publish } = this.#ports;
    const { clock } = this.#context;
    const before = this.#track;
    const receipt = { now: clock.now(), mono: clock.monotonic(), silentMs: silentMs(this.#view(message)) };
    const track = recordBeat(before, beat, receipt);
    this.#track = track;
    publish(track);
    const shiftMs = clockShiftMs(track);
    if (shiftMs !== 0 && clockShiftMs(before) === 0) {
      const facts = { probe_id, probe_name, clock_offset_ms: shiftMs };
      log.warn(facts, 'the clock of a probe is wrong; the times of its results are being corrected');
    }
    if (track.conflict && !before?.conflict) {
      const facts = { probe_id, epochs: track.epochs, older: track.conflict.olderEpoch };
      log.error(facts, 'two processes use the same probe identity');
    }
  }

  #evaluate(message: LinkMessage): void {
    const { probe } = message;
    const { log, onLivenessChanged } = this.#ports;
    const { clock } = this.#context;
    const nowMono = clock.monotonic();
    const view = this.#view(message);
    const live = isLive(probe, view);
    const { status, reason } = statusOf(probe, view, clock.now());
    const seen = this.#seen;
    this.#seen = { isLive: live, status };
    if (seen && seen.status !== status) {
      const facts = { probe_id: probe._id, probe_name: probe.name, region: probe.region_id, status, reason };
      log.info(facts, 'probe status');
    }
    const wasLive = seen ? seen.isLive : probe.is_online;
    const isFirstBeat = !seen && this.#track !== null;
    if (wasLive !== live) onLivenessChanged(probe, live);
    const isNoteOld = nowMono - this.#notedAtMono >= NOTE_INTERVAL_MS;
    const isDue = wasLive !== live || isFirstBeat || (live && isNoteOld);
    if (isDue) this.#note(probe._id, live);
  }

  #view({ listeningSinceMono }: LinkMessage): LivenessView {
    return { track: this.#track, listeningSinceMono, nowMono: this.#context.clock.monotonic() };
  }

  #updatePresence(message: LinkMessage): void {
    const presence = presenceOf(message.probe, this.#view(message));
    const before = this.#presence;
    this.#presence = presence;
    if (before !== null && before !== presence) this.#ports.onPresenceChanged(message.probe);
  }

  #note(probeId: string, isOnline: boolean): void {
    this.#notedAtMono = this.#context.clock.monotonic();
    const track = this.#track;
    this.#ports.note({
      probeId, isOnline, lastBeatAt: track?.at ?? null,
      version: track?.beat.version ?? null, capabilities: track?.beat.capabilities ?? [],
    });
  }
}
