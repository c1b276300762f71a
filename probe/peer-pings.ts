import { MAX_PEERS, MESH_INTERVAL_MS, type MeshOrder, type MeshReport, type PeerPing } from '../shared/contracts/mesh.ts';
import type { Log } from '../shared/log.ts';
import type { Clock, Timer } from '../shared/time.ts';
import { planPing, type Pinger } from './checks/icmp/pinger.ts';

/** Peers are pinged one after another, so that pings barely compete with checks. */
const TURN_MS = MESH_INTERVAL_MS / MAX_PEERS;
const PACKET = { count: 3, size: 56, ttl: 64 } as const;
const PACKET_TIMEOUT_MS = 1000;
const TIMEOUT_MS = 3000;
/** A ping is skipped if all processes of `ping` are busy with checks for this long. */
const MAX_QUEUE_MS = 1000;

type Peers = MeshOrder['mesh'];

export interface PeerPingsOptions {
  clock: Clock;
  pinger: Pinger;
  allowsPrivate: boolean;
  allowAddress: (address: string, allowPrivate: boolean) => boolean;
  /** Whether this probe may have lost its uplink since then (monotonic). */
  isCutOff: (sinceMs: number) => Promise<boolean>;
  log: Log;
}

/** Pings the peers that the controllers have chosen, each once a minute. */
export class PeerPings {
  readonly #options: PeerPingsOptions;
  #peers: Peers = { version: '', allow_private: false, peers: [] };
  /** By probe. */
  #pings = new Map<string, PeerPing>();
  #turn = 0;
  #timer: Timer | null = null;

  constructor(options: PeerPingsOptions) {
    this.#options = options;
  }

  get report(): MeshReport {
    const { version } = this.#peers;
    return { version, allows_private: this.#options.allowsPrivate, pings: [...this.#pings.values()] };
  }

  start(): void {
    const { clock, log } = this.#options;
    this.#timer = clock.setRepeating(TURN_MS, () => {
      this.#pingNext().catch((error: unknown) => log.error({ err: error }, 'could not ping another probe'));
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Keeps the pings of remaining peers. */
  replace(peers: Peers): void {
    this.#peers = peers;
    const ids = new Set(peers.peers.map(({ probe_id: id }) => id));
    this.#pings = new Map([...this.#pings].filter(([id]) => ids.has(id)));
  }

  async #pingNext(): Promise<void> {
    const { clock, pinger, allowAddress, isCutOff } = this.#options;
    const { allow_private: allowPrivate, peers } = this.#peers;
    const peer = peers[this.#turn];
    this.#turn = (this.#turn + 1) % MAX_PEERS;
    if (!peer || !allowAddress(peer.address, allowPrivate)) return;
    const { probe_id: id, address } = peer;
    const [startedAt, startedMono] = [clock.now(), clock.monotonic()];
    const plan = planPing(PACKET.count, PACKET_TIMEOUT_MS, TIMEOUT_MS);
    const { rttsMs, problem } = await pinger.ping({ ...PACKET, address, plan, maxQueueMs: MAX_QUEUE_MS });
    const ok = rttsMs.length > 0;
    if (!ok && (problem?.whose === 'own' || await isCutOff(startedMono))) return;
    // The peers may have been replaced meanwhile.
    if (!this.#peers.peers.includes(peer)) return;
    const rttMs = ok ? Math.round(Math.min(...rttsMs) * 1000) / 1000 : null;
    this.#pings.set(id, { probe_id: id, pinged_at: startedAt, ok, rtt_ms: rttMs });
  }
}
