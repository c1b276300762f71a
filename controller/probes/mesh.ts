import { BEAT_INTERVAL_MS } from '../../shared/contracts/beat.ts';
import type { MeshOrder } from '../../shared/contracts/mesh.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { FleetDirectory } from './directory.ts';
import type { Liveness } from './liveness.ts';
import { edgeState, type EdgeTrack } from './mesh-rules.ts';
import { choosePeers, type MeshMember, type PeerChoice } from './peer-rules.ts';
import { isEnrolled, type EnrolledProbe, type ProbeDoc } from './probe.ts';
import type { ProbeView } from './responses.ts';

/** An offline probe stays a peer for this long, so that restarts and outages do not change peers. */
const FORGOTTEN_AFTER_MS = 3_600_000;
/** Maximum orders per run. Sealing one takes a millisecond, and no order is urgent. */
const MAX_ORDERS = 50;

interface MeshDeps {
  directory: Pick<FleetDirectory, 'enrolled' | 'probes'>;
  liveness: Pick<Liveness, 'edgesFrom' | 'isLive' | 'silentMs' | 'track'>;
  send(probe: EnrolledProbe, order: MeshOrder): void;
  /** Whether this controller is responsible for the region. */
  owns(regionId: string): boolean;
  /** Whether pings may go to private addresses. */
  allowPrivate: boolean;
  clock: Clock;
  log: Log;
}

/** The edges to its peers, by the id of the probe that pings. Both ends have the same owner. */
export type Edges = ReadonlyMap<string, ProbeView['mesh']>;

/**
 * Orders probes to ping their peers, and evaluates the results. Members and results come only from beats, so
 * every controller has them and nothing is stored.
 */
export class Mesh {
  readonly #deps: MeshDeps;
  readonly #task: PeriodicTask;
  /** The choice of peers, and what it was made from. */
  #choice: { key: string; peersOf: PeerChoice } | null = null;
  /** Where the next run continues, so that probes that ignore orders do not delay others. */
  #next = 0;

  constructor(deps: MeshDeps) {
    this.#deps = deps;
    this.#task = new PeriodicTask({
      clock: deps.clock, intervalMs: 2 * BEAT_INTERVAL_MS,
      task: async () => this.#order(),
      onError: (error) => deps.log.warn({ err: error }, 'could not choose the peers of probes; will retry'),
    });
  }

  /** The first run follows the first beats. */
  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  edges(): Edges {
    const { clock, directory, liveness } = this.#deps;
    const all = [...directory.probes()].map((probe) => (
      { id: probe._id, isLive: liveness.isLive(probe), tracks: liveness.edgesFrom(probe._id) }
    ));
    const live = new Set(all.filter(({ isLive }) => isLive).map(({ id }) => id));
    const now = clock.now();
    const isOk = (track: EdgeTrack, areLive: boolean) =>
      edgeState(track, { now, areLive, isResponding: false }) === 'ok';
    const responding = new Set(all.flatMap(({ isLive, tracks }) => (
      tracks.filter((track) => isOk(track, isLive)).map(({ peerId }) => peerId)
    )));
    const viewed = (isLive: boolean) => (track: EdgeTrack): ProbeView['mesh'] => {
      const { peerId, rttMs, at } = track;
      const region = directory.enrolled(peerId)?.region_id;
      if (region === undefined) return [];
      const areLive = isLive && live.has(peerId);
      const state = edgeState(track, { now, areLive, isResponding: responding.has(peerId) });
      return [{ probe_id: peerId, region, state, rtt_ms: rttMs, at }];
    };
    return new Map(all.map(({ id, isLive, tracks }) => [id, tracks.flatMap(viewed(isLive))]));
  }

  /** The broken edges between these probes. */
  brokenEdges(probeIds: readonly string[]): { from_probe: string; to_probe: string }[] {
    const edges = this.edges();
    return probeIds.flatMap((from_probe) => (edges.get(from_probe) ?? [])
      .filter(({ probe_id: to, state }) => state === 'broken' && probeIds.includes(to))
      .map(({ probe_id: to_probe }) => ({ from_probe, to_probe })));
  }

  #order(): void {
    const { directory, liveness, owns, send } = this.#deps;
    const peersOf = this.#choosePeers();
    const probes = [...directory.probes()];
    let sent = 0;
    for (let count = 0; count < probes.length && sent < MAX_ORDERS; count += 1) {
      const probe = probes[this.#next++ % probes.length] as ProbeDoc;
      const mesh = liveness.track(probe._id)?.beat.mesh;
      if (!mesh || !isEnrolled(probe) || !owns(probe.region_id) || !liveness.isLive(probe)) continue;
      const peers = peersOf(probe._id);
      if (peers.version === mesh.version) continue;
      send(probe, { mesh: peers });
      sent += 1;
    }
  }

  /** Recomputes the choice only if a member has changed. */
  #choosePeers(): PeerChoice {
    const members = this.#members();
    const key = JSON.stringify(members);
    if (this.#choice?.key !== key) {
      this.#choice = { key, peersOf: choosePeers(members, this.#deps.allowPrivate) };
    }
    return this.#choice.peersOf;
  }

  #members(): MeshMember[] {
    const { directory, liveness } = this.#deps;
    return [...directory.probes()].flatMap((probe) => {
      const mesh = liveness.track(probe._id)?.beat.mesh;
      if (!mesh || !isEnrolled(probe) || liveness.silentMs(probe) > FORGOTTEN_AFTER_MS) return [];
      const { _id: id, region_id: region, organization_id: owner, addresses } = probe;
      return [{ id, region, owner, addresses, allowsPrivate: mesh.allows_private }];
    });
  }
}
