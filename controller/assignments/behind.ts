import { z } from 'zod';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import { isEnrolled } from '../probes/probe.ts';
import type { Announcer } from './announcer.ts';
import type { HeadStore } from './head-store.ts';

const READ_HEADS_EVERY_MS = 5000;
const LARGEST_BEAT_BYTES = 8192;
const heldRevision = z.object({ revision: z.int().min(0) });

export interface BehindDeps {
  bus: Bus;
  directory: FleetDirectory;
  heads: HeadStore;
  announcer: Announcer;
  clock: Clock;
  log: Log;
}

/** Tells a probe whose beat shows another revision than ours that it should ask. Each beat is looked at by one controller. */
export class BehindTeller {
  readonly #deps: BehindDeps;
  #heads = new Map<string, number>();
  #subscription: BusSubscription | null = null;
  #timer: Timer | null = null;

  constructor(deps: BehindDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    await this.#read();
    this.#timer = this.#deps.clock.setRepeating(READ_HEADS_EVERY_MS, () => void this.#read().catch(() => undefined));
    this.#subscription = this.#deps.bus.subscribe(subjects.beatOfAll, (message) => this.#take(message), { queue: 'behind' });
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#subscription?.stop();
  }

  async #read(): Promise<void> {
    this.#heads = await this.#deps.heads.all();
  }

  #take(message: BusMessage): void {
    const from = probeOfSubject(message.subject);
    const held = readHeld(message.data);
    if (!from || held === null) return;
    // What was read some seconds ago may itself be behind: only then is the database asked.
    if (held !== (this.#heads.get(from.probeId) ?? 0)) void this.#tell(from.probeId, held).catch(() => undefined);
  }

  async #tell(probeId: string, held: number): Promise<void> {
    const probe = this.#deps.directory.probe(probeId);
    if (!probe || !isEnrolled(probe)) return;
    const { head } = await this.#deps.heads.find(probeId);
    this.#heads.set(probeId, head);
    if (head === held) return;
    // A probe ahead of us holds the set of a database that is no more; above its number it sees a gap as well.
    this.#deps.announcer.nudge(probe, Math.max(head, held + 1));
    if (held > head) this.#deps.log.warn({ probe_id: probeId, held, head }, 'probe is ahead of the database');
  }
}

function readHeld(data: Uint8Array): number | null {
  if (data.length > LARGEST_BEAT_BYTES) return null;
  try {
    const parsed = heldRevision.safeParse(JSON.parse(Buffer.from(data).toString('utf8')));
    return parsed.success ? parsed.data.revision : null;
  } catch {
    return null;
  }
}
