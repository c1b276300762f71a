import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, type Clock } from '../../../../shared/time.ts';
import type { DatabaseAccess } from './database-access.ts';

/** Longer than the longest interval of renewals, 3 s and half a second of timers. */
const MIN_WATCH_MS = 4200;
/** Two controllers with one id have alternated by then; one that was restarted has not. */
const MAX_WATCH_MS = 9500;
/** Of two renewals between two polls, only the second is seen. */
const POLL_INTERVAL_MS = 100;
const MAX_CONTROLLERS = 1000;
/** Others are of shards. */
const CONTROLLERS = { $gte: 'controller:', $lt: 'controller;' };

interface AnnouncementDoc {
  _id: string;
  holder: string;
  /** By the controller's clock. */
  renewed_at: number;
  life?: string;
  version?: string;
}

/** A controller that renewed its announcement while it was watched. */
export interface LiveController {
  id: string;
  /** Null for versions that do not tell. */
  version: string | null;
  /** The starts that renewed it, one after the other. */
  lives: string[];
  renewals: Renewal[];
}

interface Renewal {
  /** By the controller's clock. */
  at: number;
  /** By our clock: it was not there yet, and it was. */
  after: number;
  before: number;
}

interface Deps {
  database: DatabaseAccess;
  dataDir: string;
  clock: Clock;
}

/** Which controllers of the installation run, as they announce it in the database. */
export class ControllerWatch {
  readonly #deps: Deps;
  /** Id of the controller of this DATA_DIR, whether it runs or not; null if there has been none. */
  readonly ownId: string | null;
  #live: Promise<LiveController[]> | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.ownId = readOwnId(deps.dataDir);
  }

  /** Empty as well if the database cannot be read, which other checks report. */
  live(): Promise<LiveController[]> {
    return this.#live ??= this.#watch().catch(() => []);
  }

  async #watch(): Promise<LiveController[]> {
    const { database, clock } = this.#deps;
    const connected = await database.connect();
    if (connected === null) return [];
    const leases = connected.db.collection<AnnouncementDoc>('leases');
    const live = new Map<string, LiveController>();
    const latest = new Map<string, AnnouncementDoc>();
    const startedAt = clock.monotonic();
    for (let previousAt = Infinity, polledAt; ; previousAt = polledAt) {
      polledAt = clock.now();
      const announced = await leases.find({ _id: CONTROLLERS }).limit(MAX_CONTROLLERS).toArray();
      for (const doc of announced) {
        const isRenewed = latest.get(doc.holder)?.renewed_at !== doc.renewed_at;
        latest.set(doc.holder, doc);
        if (previousAt === Infinity || !isRenewed) continue;
        record(live, doc, { at: doc.renewed_at, after: previousAt, before: clock.now() });
      }
      const tookMs = clock.monotonic() - startedAt;
      const isUndecided = [...live.values()].some(({ lives }) => lives.length === 2);
      const watchMs = isUndecided ? MAX_WATCH_MS : MIN_WATCH_MS;
      if (announced.length === 0 || tookMs > watchMs) return [...live.values()];
      await sleep(clock, POLL_INTERVAL_MS);
    }
  }
}

function readOwnId(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, 'controller-id'), 'utf8').trim();
  } catch {
    return null;
  }
}

function record(live: Map<string, LiveController>, doc: AnnouncementDoc, renewal: Renewal): void {
  const known = live.get(doc.holder) ?? { id: doc.holder, version: null, lives: [], renewals: [] };
  live.set(doc.holder, known);
  known.version = doc.version ?? null;
  known.renewals.push(renewal);
  if (doc.life !== undefined && known.lives.at(-1) !== doc.life) known.lives.push(doc.life);
}

/** Whether two processes with this id run: one that was replaced does not come back. */
export function isDoubled({ lives }: Pick<LiveController, 'lives'>): boolean {
  return new Set(lives).size < lives.length;
}
