import { Supervisor } from '../../shared/actor/supervisor.ts';
import { beat as beatSchema, MAX_BEAT_BYTES } from '../../shared/contracts/beat.ts';
import { decodeJson } from '../../shared/contracts/decode-json.ts';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import { OngoingFailure } from '../../shared/ongoing-failure.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { FleetDirectory } from './directory.ts';
import { ProbeLink, type LinkMessage } from './probe-link.ts';
import { ProbeRate } from './probe-rate.ts';
import type { ProbeDoc } from './probe.ts';
import {
  clockShiftMs, isLive, presenceOf, silentMs, statusOf, type BeatTrack, type LivenessView, type Presence,
  type ProbeStatus,
} from './rules.ts';
import type { BeatNote, ProbeStore } from './store.ts';

const TICK_MS = 1000;
/** A tick this late means that this process was blocked and received nothing meanwhile. */
const BLOCKED_AFTER_MS = 3 * TICK_MS;
/** Queue limit per link: beats come every five seconds, ticks every second. */
const MAILBOX_MESSAGES = 100;
const MIN_RESTART_DELAY_MS = 200;
const MAX_RESTART_DELAY_MS = 30_000;

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

/** Tracks which probes are alive by their beats. Every controller receives all beats. */
export class Liveness {
  readonly rate: ProbeRate;
  readonly #deps: LivenessDeps;
  /** One link per known probe, so that links cannot outnumber the fleet. */
  readonly #links: Supervisor<string, LinkMessage>;
  readonly #tracks = new Map<string, BeatTrack>();
  /** Pending database updates by probe. */
  readonly #pendingNotes = new Map<string, BeatNote>();
  readonly #listeners: ((change: LivenessChange) => void)[] = [];
  readonly #presenceListeners: ((regionId: string) => void)[] = [];
  readonly #noteTask: PeriodicTask;
  readonly #noteFailure: OngoingFailure;
  #subscription: BusSubscription | null = null;
  #timer: Timer | null = null;
  #listeningSinceMono: number | null = null;
  #tickMono = 0;

  constructor(deps: LivenessDeps) {
    this.#deps = deps;
    this.rate = new ProbeRate({ clock: deps.clock, log: deps.log, subject: 'beat' });
    this.#links = new Supervisor({
      clock: deps.clock, capacity: MAILBOX_MESSAGES, firstDelayMs: MIN_RESTART_DELAY_MS,
      maxDelayMs: MAX_RESTART_DELAY_MS,
      start: (probeId, context) => new ProbeLink({
        log: deps.log,
        publish: (track) => this.#tracks.set(probeId, track),
        onLivenessChanged: ({ region_id: region }, isLive) => {
          this.#notify(this.#listeners, { probeId, region, isLive });
        },
        onPresenceChanged: ({ region_id: region }) => this.#notify(this.#presenceListeners, region),
        note: (note) => this.#pendingNotes.set(probeId, note),
      }, context),
      onFailure: ({ name, error }) => {
        deps.log.error({ err: error, probe_id: name }, 'the link of a probe failed and is restarting');
        return true;
      },
    });
    this.#noteFailure = new OngoingFailure({
      clock: deps.clock, log: deps.log, level: 'warn', countField: 'times',
      message: 'could not record beats', recoveredMessage: 'beats are recorded again',
    });
    this.#noteTask = new PeriodicTask({
      clock: deps.clock,
      intervalMs: TICK_MS,
      task: () => this.#note(),
      onError: (error) => this.#noteFailure.record({ err: error }),
    });
  }

  start(): void {
    const { bus, clock } = this.#deps;
    this.#subscription = bus.subscribe(subjects.beatOfAll, (message) => this.#onBeat(message));
    this.#tickMono = clock.monotonic();
    this.#listeningSinceMono = bus.isConnected ? this.#tickMono : null;
    bus.onReconnect(() => {
      this.#listeningSinceMono = clock.monotonic();
    });
    this.#timer = clock.setRepeating(TICK_MS, () => this.#tick());
    this.#noteTask.start();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#subscription?.stop();
    await Promise.all([this.#links.stopAll(), this.#noteTask.stop()]);
  }

  onChange(listener: (change: LivenessChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls `listener` when monitors should start or stop running on a probe of the region. */
  onPresence(listener: (regionId: string) => void): void {
    this.#presenceListeners.push(listener);
  }

  /** Whether monitors should run on the probe. */
  presenceOf(probe: ProbeDoc): Presence {
    return presenceOf(probe, this.#view(probe._id));
  }

  /** Live probes of the region by their beats, or by the database right after the start. */
  liveProbes(regionId: string): ProbeDoc[] {
    return this.#deps.directory.probesOf(regionId).filter((probe) => this.isLive(probe));
  }

  isLive(probe: ProbeDoc): boolean {
    return isLive(probe, this.#view(probe._id));
  }

  /** How long the probe has been silent while this process was listening, ms. */
  silentMs(probe: ProbeDoc): number {
    return silentMs(this.#view(probe._id));
  }

  /** The summary of its beats since this process started; null without any. */
  track(probeId: string): BeatTrack | null {
    return this.#tracks.get(probeId) ?? null;
  }

  /** Added to the probe's timestamps, ms; 0 while its clock is about right or without beats. */
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

  #onBeat(message: BusMessage): void {
    const from = probeOfSubject(message.subject);
    if (!from || !this.rate.admits(from.probeId)) return;
    const beat = decodeJson(beatSchema, message.data, MAX_BEAT_BYTES);
    const probe = this.#deps.directory.probe(from.probeId);
    if (!beat || !probe || probe.region_id !== from.region || probe.removed_at !== null) return;
    this.#send(probe, {
      kind: 'beat', probe, beat, listeningSinceMono: this.#listeningSinceMono,
    });
  }

  #tick(): void {
    const { bus, clock, directory } = this.#deps;
    const nowMono = clock.monotonic();
    const wasBlocked = nowMono - this.#tickMono > BLOCKED_AFTER_MS;
    this.#tickMono = nowMono;
    if (!bus.isConnected) this.#listeningSinceMono = null;
    else if (wasBlocked || this.#listeningSinceMono === null) this.#listeningSinceMono = nowMono;
    const listeningSinceMono = this.#listeningSinceMono;
    // While this process receives nothing, silent probes may be healthy.
    if (listeningSinceMono === null) return;
    for (const probe of directory.probes()) {
      if (probe.removed_at === null) this.#send(probe, { kind: 'tick', probe, listeningSinceMono });
    }
    for (const id of this.#links.names()) {
      if (directory.probe(id)) continue;
      void this.#links.stop(id);
      this.#tracks.delete(id);
    }
  }

  #send(probe: ProbeDoc, message: LinkMessage): void {
    this.#links.start(probe._id);
    this.#links.get(probe._id)?.send(message);
  }

  #notify<T>(listeners: readonly ((event: T) => void)[], event: T): void {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#deps.log.error({ err: error }, 'liveness listener failed');
      }
    }
  }

  /** Writes pending updates. After a failure they stay pending unless a newer one replaced them. */
  async #note(): Promise<void> {
    if (this.#pendingNotes.size === 0) return;
    const notes = [...this.#pendingNotes.values()];
    this.#pendingNotes.clear();
    try {
      await this.#deps.store.noteBeats(notes);
      this.#noteFailure.recovered();
    } catch (error) {
      for (const note of notes) {
        if (!this.#pendingNotes.has(note.probeId)) this.#pendingNotes.set(note.probeId, note);
      }
      throw error;
    }
  }
}
