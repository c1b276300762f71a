import { z } from 'zod';
import type { Agreement } from '../../probes/quarantine-rules.ts';
import { assignedRegions, voteOf } from '../../verdicts/votes/quorum-rules.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';
import { shardQuery, type ShardQueries } from '../shards/shard-queries.ts';

/** With fewer regions, it is unclear which one is wrong. */
const MIN_VOTES = 3;
/** Limit per organization, because its targets may respond differently to some probes. */
const MAX_MONITORS_PER_ORGANIZATION = 32;
/** All shards are polled within this many turns. */
const MAX_TURNS = 16;

/** A probe's vote on a monitor that most other regions see up. */
export interface Comparison {
  probeId: string;
  isAgainst: boolean;
}

/** The votes on a monitor, if enough regions vote and more than half of them say up. */
export function comparisonsOf(state: MonitorState): Comparison[] {
  if (state.config.status !== 'active') return [];
  const votes = assignedRegions(state).flatMap((name) => {
    const vote = voteOf(state, name);
    const probeId = state.regions[name]?.probe_id ?? null;
    return vote === null || probeId === null ? [] : [{ probeId, isDown: vote === 'down' }];
  });
  const up = votes.filter(({ isDown }) => !isDown).length;
  if (votes.length < MIN_VOTES || up * 2 <= votes.length) return [];
  return votes.map(({ probeId, isDown }) => ({ probeId, isAgainst: isDown }));
}

/** By probe, over at most `limit` monitors of each organization; leaves out probes without comparisons. */
export function agreementsOf(monitors: Iterable<MonitorState>, limit: number): Record<string, Agreement> {
  const found = new Map<string, Agreement>();
  const ofOrganization = new Map<string, number>();
  for (const state of monitors) {
    const organization = state.config.organization_id;
    const compared = ofOrganization.get(organization) ?? 0;
    const comparisons = compared < limit ? comparisonsOf(state) : [];
    if (comparisons.length > 0) ofOrganization.set(organization, compared + 1);
    for (const { probeId, isAgainst } of comparisons) {
      const { monitors: count, against } = found.get(probeId) ?? { monitors: 0, against: 0 };
      found.set(probeId, { monitors: count + 1, against: against + (isAgainst ? 1 : 0) });
    }
  }
  return Object.fromEntries(found);
}

/**
 * How each probe's votes compare with most other regions. Polls the shards' owners in turn, so that all
 * controllers have the same data.
 */
export class Agreements {
  readonly #owners: Pick<ShardQueries, 'requestOnce' | 'shardMap'>;
  readonly #byShard = new Map<number, Record<string, Agreement>>();
  #nextShard = 0;

  /** How each probe's votes compare with most other regions, over one shard's monitors. */
  readonly query = shardQuery({
    name: 'agreements',
    params: z.object({}),
    response: z.record(z.string(), z.object({ monitors: z.int(), against: z.int() })),
    fromMemory: ({ state: { shard, monitors } }) => agreementsOf(
      [...monitors.values()].map((monitor) => monitor.state), limitOf(shard, this.#owners.shardMap.count),
    ),
  });

  constructor(owners: Pick<ShardQueries, 'requestOnce' | 'shardMap'>) {
    this.#owners = owners;
  }

  /** By the owners' latest responses; null for a probe without comparisons. */
  of(probeId: string): Agreement | null {
    const found = [...this.#byShard.values()].flatMap((shard) => shard[probeId] ?? []);
    if (found.length === 0) return null;
    const sum = (name: keyof Agreement) => found.reduce((total, one) => total + one[name], 0);
    return { monitors: sum('monitors'), against: sum('against') };
  }

  /** Polls the owners of the next shards. Earlier responses of owners that do not respond are dropped. */
  async pollNextShards(): Promise<void> {
    const { count } = this.#owners.shardMap;
    const compared = Math.min(count, MAX_MONITORS_PER_ORGANIZATION);
    const length = Math.ceil(compared / MAX_TURNS);
    const shards = Array.from({ length }, (_, at) => (this.#nextShard + at) % compared);
    this.#nextShard = (this.#nextShard + length) % compared;
    await Promise.all(shards.map(async (shard) => {
      const response = await this.#owners.requestOnce(shard, this.query, {});
      if (response) this.#byShard.set(shard, response);
      else this.#byShard.delete(shard);
    }));
  }
}

/** A shard's share of the monitors per organization; none in shards beyond the first 32. */
function limitOf(shard: number, count: number): number {
  const rest = MAX_MONITORS_PER_ORGANIZATION % count;
  return Math.floor(MAX_MONITORS_PER_ORGANIZATION / count) + (shard < rest ? 1 : 0);
}
