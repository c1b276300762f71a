import { beat as beatSchema, MAX_BEAT_BYTES } from '../../shared/contracts/beat.ts';
import { decodeJson } from '../../shared/contracts/bytes.ts';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import { OngoingFailure } from '../../shared/ongoing-failure.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import { BeatNotes } from './beat-notes.ts';
import type { FleetDirectory } from './directory.ts';
import {
  linkAfterBeat, linkAfterTick, newLink, type LinkEffect, type LinkMoment, type LinkStep, type ProbeLink,
} from './link-rules.ts';
import type { EdgeTrack } from './mesh-rules.ts';
import { ProbeRate } from './probe-rate.ts';
import type { ProbeDoc } from './probe.ts';
import {
  isLive, presenceOf, silentMs, statusOf, type BeatTrack, type LivenessView, type Presence,
  type ProbeStatus,
} from './rules.ts';
import type { ProbeStore } from './store.ts';

const TICK_MS = 1000;
/** A tick this late means that this process was blocked and received nothing meanwhile. */
const BLOCKED_AFTER_MS = 3 * TICK_MS;

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
  /** One per known probe, so that links cannot outnumber the fleet. */
  readonly #links = new Map<string, ProbeLink>();
  readonly #notes: BeatNotes;
  readonly #listeners: ((change: LivenessChange) => void)[] = [];
  readonly #presenceListeners: ((regionId: string) => void)[] = [];
  readonly #linkFailure: OngoingFailure;
  #subscription: BusSubscription | null = null;
  #timer: Timer | null = null;
  #listeningSinceMono: number | null = null;
  #tickMono = 0;

  constructor(deps: LivenessDeps) {
    this.#deps = deps;
    this.rate = new ProbeRate({ clock: deps.clock, log: deps.log, subject: 'beat' });
    this.#notes = new BeatNotes(deps);
    this.#linkFailure = new OngoingFailure({
      clock: deps.clock, log: deps.log, level: 'error', countField: 'times',
      message: 'could not process a beat or tick of a probe', recoveredMessage: 'beats are processed again',
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

  /** Ids of the region's live probes whose reports count and that announce this capability. */
  trustedWith(capability: string, regionId: string): string[] {
    const live = this.liveProbes(regionId).filter(({ quarantine }) => !quarantine).map(({ _id }) => _id);
    return live.filter(this.announcing(capability));
  }

  /** Whether a probe has this capability: by its latest beat, or by the database right after the start. */
  announcing(capability: string): (probeId: string) => boolean {
    return (probeId) => {
      const known = this.track(probeId)?.beat ?? this.#deps.directory.probe(probeId);
      return known?.capabilities.includes(capability) ?? false;
    };
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
    return this.#links.get(probeId)?.track ?? null;
  }

  /** To the probes that it pings. */
  edgesFrom(probeId: string): readonly EdgeTrack[] {
    return this.#links.get(probeId)?.edges ?? [];
  }

  /** Added to the probe's timestamps, ms; 0 while its clock is about right or without beats. */
  readonly clockShiftMs = (probeId: string): number => this.track(probeId)?.clockShiftMs ?? 0;

  /** What intake asks about the source of a batch; undefined while its region is unknown here. */
  readonly intakeFacts = (probeId: string, regionId: string) => {
    const { directory } = this.#deps;
    const owner = directory.regionOwner(regionId);
    if (owner === undefined) return undefined;
    return { owner, hasVote: directory.hasVote(probeId), clockShiftMs: this.clockShiftMs(probeId) };
  };

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
    const peerOf = (id: string) => this.#peerOf(probe, id);
    this.#step(probe, (link, moment) => linkAfterBeat(link, beat, moment, peerOf));
  }

  #peerOf({ _id: id, organization_id: owner }: ProbeDoc, peerId: string): { isLive: boolean } | null {
    const peer = this.#deps.directory.probe(peerId);
    return peer && peerId !== id && peer.organization_id === owner ? { isLive: this.isLive(peer) } : null;
  }

  #tick(): void {
    const { bus, clock, directory } = this.#deps;
    const nowMono = clock.monotonic();
    const wasBlocked = nowMono - this.#tickMono > BLOCKED_AFTER_MS;
    this.#tickMono = nowMono;
    if (!bus.isConnected) this.#listeningSinceMono = null;
    else if (wasBlocked || this.#listeningSinceMono === null) this.#listeningSinceMono = nowMono;
    // While this process receives nothing, silent probes may be healthy.
    if (this.#listeningSinceMono === null) return;
    for (const probe of directory.probes()) {
      if (probe.removed_at === null) this.#step(probe, linkAfterTick);
    }
    for (const id of this.#links.keys()) if (!directory.probe(id)) this.#links.delete(id);
  }

  /** A step that throws changes nothing: the next beat comes in five seconds, the next tick in one. */
  #step(probe: ProbeDoc, stepOf: (link: ProbeLink, moment: LinkMoment) => LinkStep): void {
    const { clock } = this.#deps;
    const nowMono = clock.monotonic();
    const moment = { probe, now: clock.now(), nowMono, listeningSinceMono: this.#listeningSinceMono };
    try {
      const { link, effects } = stepOf(this.#links.get(probe._id) ?? newLink(nowMono), moment);
      this.#links.set(probe._id, link);
      for (const effect of effects) this.#perform(probe, link, effect);
      this.#linkFailure.recovered();
    } catch (error) {
      this.#linkFailure.record({ err: error, probe_id: probe._id });
    }
  }

  #perform(probe: ProbeDoc, { track }: ProbeLink, effect: LinkEffect): void {
    const { log } = this.#deps;
    const { _id: probeId, name: probe_name, region_id: region } = probe;
    if (effect.kind === 'livenessChanged') {
      this.#notify(this.#listeners, { probeId, region, isLive: effect.isLive });
    } else if (effect.kind === 'presenceChanged') this.#notify(this.#presenceListeners, region);
    else if (effect.kind === 'note') {
      this.#notes.put({
        probeId, isOnline: effect.isOnline, lastBeatAt: track?.at ?? null,
        version: track?.beat.version ?? null, capabilities: track?.beat.capabilities ?? [],
      });
    } else if (effect.kind === 'clockIsWrong') {
      const facts = { probe_id: probeId, probe_name, clock_offset_ms: effect.shiftMs };
      log.warn(facts, 'the clock of a probe is wrong; the times of its results are being corrected');
    } else if (effect.kind === 'doubled') {
      const { epochs, older } = effect;
      log.error({ probe_id: probeId, epochs, older }, 'two processes use the same probe identity');
    } else {
      const { status, reason } = effect;
      log.info({ probe_id: probeId, probe_name, region, status, reason }, 'probe status');
    }
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
}
