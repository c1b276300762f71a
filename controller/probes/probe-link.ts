import type { ActorContext, Behaviour } from '../../shared/actor/actor.ts';
import type { Beat } from '../../shared/contracts/beat.ts';
import type { Log } from '../../shared/log.ts';
import type { ProbeDoc } from './probe.ts';
import { clockShiftMs, isLive, statusOf, takeBeat, type BeatTrack, type ProbeStatus } from './rules.ts';
import type { BeatNote } from './store.ts';

const NOTE_EVERY_MS = 60_000;

export type LinkMessage =
  | { kind: 'beat'; probe: ProbeDoc; beat: Beat }
  /** Sent every second while beats can be heard. `listeningSinceMono`: since when, monotonic ms. */
  | { kind: 'look'; probe: ProbeDoc; listeningSinceMono: number };

export interface ProbeLinkPorts {
  log: Log;
  /** What the beats said so far, for everybody to read. */
  publish(track: BeatTrack): void;
  /** The probe has come to life or fallen silent. */
  changed(probe: ProbeDoc, isLive: boolean): void;
  /** The database is to be told. */
  note(note: BeatNote): void;
}

/** What this controller knows of one probe: its beats, and whether it is alive. */
export class ProbeLink implements Behaviour<LinkMessage> {
  readonly #ports: ProbeLinkPorts;
  readonly #context: ActorContext<LinkMessage>;
  #track: BeatTrack | null = null;
  /** As of the latest look; null before the first. */
  #seen: { isLive: boolean; status: ProbeStatus } | null = null;
  #notedAtMono: number;

  constructor(ports: ProbeLinkPorts, context: ActorContext<LinkMessage>) {
    this.#ports = ports;
    this.#context = context;
    this.#notedAtMono = context.clock.monotonic();
  }

  receive(message: LinkMessage): void {
    if (message.kind === 'beat') this.#take(message.probe, message.beat);
    else this.#look(message.probe, message.listeningSinceMono);
  }

  #take({ _id: probe_id, name: probe_name }: ProbeDoc, beat: Beat): void {
    const { log, publish } = this.#ports;
    const { clock } = this.#context;
    const before = this.#track;
    const track = takeBeat(before, beat, { now: clock.now(), mono: clock.monotonic() });
    this.#track = track;
    publish(track);
    const shiftMs = clockShiftMs(track);
    if (shiftMs !== 0 && clockShiftMs(before) === 0) {
      const facts = { probe_id, probe_name, clock_offset_ms: shiftMs };
      log.warn(facts, 'the clock of a probe is wrong: the times of its results are corrected');
    }
    if (track.conflict && !before?.conflict) {
      const facts = { probe_id, epochs: track.epochs, older: track.conflict.olderEpoch };
      log.error(facts, 'two processes use one probe identity');
    }
  }

  #look(probe: ProbeDoc, listeningSinceMono: number): void {
    const { log, changed } = this.#ports;
    const { clock } = this.#context;
    const nowMono = clock.monotonic();
    const view = { track: this.#track, listeningSinceMono, nowMono };
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
    if (wasLive !== live) changed(probe, live);
    const isDue = wasLive !== live || isFirstBeat || (live && nowMono - this.#notedAtMono >= NOTE_EVERY_MS);
    if (isDue) this.#note(probe._id, live);
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
