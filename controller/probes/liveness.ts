import { beat as beatSchema, type Beat } from '../../shared/contracts/beat.ts';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from './directory.ts';
import type { ProbeDoc } from './probe.ts';
import { clockShiftMs, isLive, silentMs, statusOf, takeBeat, type BeatTrack, type LivenessView, type ProbeStatus } from './rules.ts';
import type { BeatNote, ProbeStore } from './store.ts';

const TICK_MS = 1000;
/** A tick that comes so late was held up by our own process: it heard nothing meanwhile. */
const HELD_UP_MS = 3 * TICK_MS;
const NOTE_EVERY_MS = 60_000;
const LARGEST_BEAT_BYTES = 8192;

export interface LivenessDeps {
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

interface Noted {
  isLive: boolean;
  status: ProbeStatus;
  atMono: number;
  isDue: boolean;
}

/** Who is alive, by their beats: every controller hears all of them. */
export class Liveness {
  readonly #deps: LivenessDeps;
  /** Of known probes only, so that it cannot outgrow the fleet. */
  readonly #tracks = new Map<string, BeatTrack>();
  readonly #noted = new Map<string, Noted>();
  readonly #listeners: ((change: LivenessChange) => void)[] = [];
  #subscription: BusSubscription | null = null;
  #timer: Timer | null = null;
  #listeningSinceMono: number | null = null;
  #tickMono = 0;
  #writing: Promise<void> | null = null;
  /** Beats that were refused: malformed, or of a probe that nobody enrolled. */
  refused = 0;

  constructor(deps: LivenessDeps) {
    this.#deps = deps;
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
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#subscription?.stop();
    await this.#writing?.catch(() => undefined);
  }

  onChange(listener: (change: LivenessChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Probes of the region that run, by the latest beats; right after our start as the database last knew them. */
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

  /** The latest beat, if one came since this process started. */
  track(probeId: string): BeatTrack | null {
    return this.#tracks.get(probeId) ?? null;
  }

  /** What to add to the probe's times, ms; 0 while its clock is about right, or nothing was heard of it. */
  clockShiftMs(probeId: string): number {
    return clockShiftMs(this.track(probeId));
  }

  statusOf(probe: ProbeDoc): { status: ProbeStatus; reason: string | null } {
    return statusOf(probe, this.#view(probe._id), this.#deps.clock.now());
  }

  #view(probeId: string): LivenessView {
    return {
      track: this.#tracks.get(probeId) ?? null,
      listeningSinceMono: this.#listeningSinceMono,
      nowMono: this.#deps.clock.monotonic(),
    };
  }

  #take(message: BusMessage): void {
    const from = probeOfSubject(message.subject);
    const beat = from && readBeat(message.data);
    const probe = from && this.#deps.directory.probe(from.probeId);
    if (!beat || !probe || probe.region_id !== from.region || probe.removed_at !== null) {
      this.refused += 1;
      return;
    }
    const { clock, log } = this.#deps;
    const before = this.#tracks.get(probe._id) ?? null;
    const track = takeBeat(before, beat, { now: clock.now(), mono: clock.monotonic() });
    this.#tracks.set(probe._id, track);
    const shiftMs = clockShiftMs(track);
    if (shiftMs !== 0 && clockShiftMs(before) === 0) {
      log.warn({ probe_id: probe._id, probe_name: probe.name, clock_offset_ms: shiftMs }, 'the clock of a probe is wrong: the times of its results are corrected');
    }
    if (track.conflict && !before?.conflict) {
      log.error({ probe_id: probe._id, epochs: track.epochs, older: track.conflict.olderEpoch }, 'two processes use one probe identity');
    }
  }

  #tick(): void {
    const { bus, clock, directory } = this.#deps;
    const nowMono = clock.monotonic();
    const wasHeldUp = nowMono - this.#tickMono > HELD_UP_MS;
    this.#tickMono = nowMono;
    if (!bus.isConnected) this.#listeningSinceMono = null;
    else if (wasHeldUp || this.#listeningSinceMono === null) this.#listeningSinceMono = nowMono;
    // Deaf for now: whoever is silent may be well.
    if (this.#listeningSinceMono === null) return;
    for (const probe of directory.probes()) if (probe.removed_at === null) this.#look(probe, nowMono);
    for (const id of this.#tracks.keys()) if (!directory.probe(id)) this.#tracks.delete(id);
    for (const id of this.#noted.keys()) if (!directory.probe(id)) this.#noted.delete(id);
    this.#write();
  }

  #look(probe: ProbeDoc, nowMono: number): void {
    const now = isLive(probe, this.#view(probe._id));
    const { status, reason } = this.statusOf(probe);
    const last = this.#noted.get(probe._id);
    if (!last) {
      const track = this.#tracks.get(probe._id);
      const isDue = track !== undefined || now !== probe.is_online;
      this.#noted.set(probe._id, { isLive: now, status, atMono: nowMono, isDue });
      if (now !== probe.is_online) this.#tell(probe, now);
      return;
    }
    if (last.status !== status) {
      last.status = status;
      this.#deps.log.info({ probe_id: probe._id, probe_name: probe.name, region: probe.region_id, status, reason }, 'probe status');
    }
    if (last.isLive !== now) {
      last.isLive = now;
      last.isDue = true;
      this.#tell(probe, now);
    } else if (now && nowMono - last.atMono >= NOTE_EVERY_MS) last.isDue = true;
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

  /** One write at a time; what could not be written is due again. */
  #write(): void {
    if (this.#writing) return;
    const due = [...this.#noted].filter(([, noted]) => noted.isDue);
    if (due.length === 0) return;
    const notes = due.map(([id, noted]): BeatNote => {
      noted.isDue = false;
      noted.atMono = this.#deps.clock.monotonic();
      const track = this.#tracks.get(id);
      return {
        probeId: id,
        isOnline: noted.isLive,
        lastBeatAt: track?.at ?? null,
        version: track?.beat.version ?? null,
        capabilities: track?.beat.capabilities ?? [],
      };
    });
    this.#writing = this.#deps.store
      .noteBeats(notes)
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error }, 'beats not noted');
        for (const [, noted] of due) noted.isDue = true;
      })
      .finally(() => {
        this.#writing = null;
      });
  }
}

function readBeat(data: Uint8Array): Beat | null {
  if (data.length > LARGEST_BEAT_BYTES) return null;
  try {
    const parsed = beatSchema.safeParse(JSON.parse(Buffer.from(data).toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
