import { beat as beatSchema, LARGEST_BEAT_BYTES } from '../../shared/contracts/beat.ts';
import { decodeJson } from '../../shared/contracts/decode-json.ts';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from './directory.ts';
import type { ProbeDoc } from './probe.ts';
import {
  clockShiftMs, isLive, silentMs, statusOf, takeBeat, type BeatTrack, type LivenessView, type ProbeStatus,
} from './rules.ts';
import type { BeatNote, ProbeStore } from './store.ts';

const TICK_MS = 1000;
/** When a tick comes so late, our own process was held up and heard nothing meanwhile. */
const HELD_UP_MS = 3 * TICK_MS;
const NOTE_EVERY_MS = 60_000;

interface LivenessDeps {
  bus: Bus;
  directory: FleetDirectory;
  store: Pick<ProbeStore, 'noteBeats'>;
  clock: Clock;
  log: Log;
}

export interface LivenessChange {
  probeId: string;
  region: string;
  isLive: boolean;
}

/** What this process knows of a probe. */
interface Link {
  track: BeatTrack | null;
  /** As of the latest tick; null before the first. */
  seen: { isLive: boolean; status: ProbeStatus } | null;
  notedAtMono: number;
  /** Whether the database is to be told. */
  isDue: boolean;
}

/** Knows which probes are alive by their beats; every controller hears all of them. */
export class Liveness {
  readonly #deps: LivenessDeps;
  /** Of known probes only, so that it cannot outgrow the fleet. */
  readonly #links = new Map<string, Link>();
  readonly #listeners: ((change: LivenessChange) => void)[] = [];
  readonly #notes: Rounds;
  #subscription: BusSubscription | null = null;
  #timer: Timer | null = null;
  #listeningSinceMono: number | null = null;
  #tickMono = 0;

  constructor(deps: LivenessDeps) {
    this.#deps = deps;
    this.#notes = new Rounds({
      clock: deps.clock,
      everyMs: TICK_MS,
      round: () => this.#note(),
      onFailed: (error) => deps.log.warn({ err: error }, 'beats not noted'),
    });
  }

  start(): void {
    const { bus, clock } = this.#deps;
    this.#subscription = bus.subscribe(subjects.beatOfAll, (message) => this.#take(message));
    this.#tickMono = clock.monotonic();
    this.#listeningSinceMono = bus.isConnected ? this.#tickMono : null;
    bus.onReconnect(() => {
      this.#listeningSinceMono = clock.monotonic();
    });
    this.#timer = clock.setRepeating(TICK_MS, () => this.#tick());
    this.#notes.start();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#subscription?.stop();
    await this.#notes.stop();
  }

  onChange(listener: (change: LivenessChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Probes of the region that run, by their beats; right after our start as the database last knew them. */
  liveProbes(regionId: string): ProbeDoc[] {
    return this.#deps.directory.probesOf(regionId).filter((probe) => this.isLive(probe));
  }

  isLive(probe: ProbeDoc): boolean {
    return isLive(probe, this.#view(probe._id));
  }

  /** Ms since the probe was last heard, 0 while nothing can be heard. */
  silentMs(probeId: string): number {
    return silentMs(this.#view(probeId));
  }

  /** What the beats said since this process started; null without any. */
  track(probeId: string): BeatTrack | null {
    return this.#links.get(probeId)?.track ?? null;
  }

  /** What to add to the probe's times, ms; 0 while its clock is about right, or nothing was heard of it. */
  clockShiftMs(probeId: string): number {
    return clockShiftMs(this.track(probeId));
  }

  statusOf(probe: ProbeDoc): { status: ProbeStatus; reason: string | null } {
    return statusOf(probe, this.#view(probe._id), this.#deps.clock.now());
  }

  #view(probeId: string): LivenessView {
    const nowMono = this.#deps.clock.monotonic();
    return { track: this.track(probeId), listeningSinceMono: this.#listeningSinceMono, nowMono };
  }

  #linkOf(probeId: string): Link {
    const known = this.#links.get(probeId);
    if (known) return known;
    const link: Link = { track: null, seen: null, notedAtMono: this.#deps.clock.monotonic(), isDue: false };
    this.#links.set(probeId, link);
    return link;
  }

  #take(message: BusMessage): void {
    const { clock, directory, log } = this.#deps;
    const from = probeOfSubject(message.subject);
    const beat = decodeJson(beatSchema, message.data, LARGEST_BEAT_BYTES);
    const probe = from && directory.probe(from.probeId);
    if (!beat || !probe || probe.region_id !== from.region || probe.removed_at !== null) return;
    const { _id: probe_id, name: probe_name } = probe;
    const link = this.#linkOf(probe_id);
    const before = link.track;
    const track = takeBeat(before, beat, { now: clock.now(), mono: clock.monotonic() });
    link.track = track;
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

  #tick(): void {
    const { bus, clock, directory } = this.#deps;
    const nowMono = clock.monotonic();
    const wasHeldUp = nowMono - this.#tickMono > HELD_UP_MS;
    this.#tickMono = nowMono;
    if (!bus.isConnected) this.#listeningSinceMono = null;
    else if (wasHeldUp || this.#listeningSinceMono === null) this.#listeningSinceMono = nowMono;
    // While we hear nothing, silent probes may be well.
    if (this.#listeningSinceMono === null) return;
    for (const probe of directory.probes()) if (probe.removed_at === null) this.#look(probe, nowMono);
    for (const id of this.#links.keys()) if (!directory.probe(id)) this.#links.delete(id);
  }

  #look(probe: ProbeDoc, nowMono: number): void {
    const link = this.#linkOf(probe._id);
    const live = this.isLive(probe);
    const { status, reason } = this.statusOf(probe);
    const { seen } = link;
    link.seen = { isLive: live, status };
    if (seen && seen.status !== status) {
      const facts = { probe_id: probe._id, probe_name: probe.name, region: probe.region_id, status, reason };
      this.#deps.log.info(facts, 'probe status');
    }
    const wasLive = seen ? seen.isLive : probe.is_online;
    const isFirstBeat = !seen && link.track !== null;
    if (wasLive !== live) this.#tell(probe, live);
    link.isDue ||= wasLive !== live || isFirstBeat || (live && nowMono - link.notedAtMono >= NOTE_EVERY_MS);
  }

  #tell(probe: ProbeDoc, live: boolean): void {
    for (const listener of this.#listeners) {
      try {
        listener({ probeId: probe._id, region: probe.region_id, isLive: live });
      } catch (error) {
        this.#deps.log.error({ err: error }, 'liveness listener failed');
      }
    }
  }

  /** Writes what is due; it is due again when that fails. */
  async #note(): Promise<void> {
    const due = [...this.#links].filter(([, link]) => link.isDue);
    if (due.length === 0) return;
    const notes = due.map(([probeId, { seen, track }]): BeatNote => ({
      probeId,
      isOnline: seen?.isLive ?? false,
      lastBeatAt: track?.at ?? null,
      version: track?.beat.version ?? null,
      capabilities: track?.beat.capabilities ?? [],
    }));
    for (const [, link] of due) {
      link.isDue = false;
      link.notedAtMono = this.#deps.clock.monotonic();
    }
    try {
      await this.#deps.store.noteBeats(notes);
    } catch (error) {
      for (const [, link] of due) link.isDue = true;
      throw error;
    }
  }
}
