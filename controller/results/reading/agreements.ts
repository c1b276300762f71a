import { z } from 'zod';
import { SHARD_COUNT } from '../../../shared/ids.ts';
import type { Agreement } from '../../probes/quarantine-rules.ts';
import { assignedRegions, voteOf } from '../../verdicts/votes/quorum-rules.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';
import { shardQuery, type ShardQueries } from '../shards/shard-queries.ts';

/** Fewer regions do not show which of them is wrong. */
const MIN_VOTES = 3;
/**
 * Of one organization so many are compared in each of the 16 shards: its targets may tell some probes other
 * things than others.
 */
const MAX_MONITORS_PER_ORGANIZATION = 2;

/** What a probe said where most other regions say up. */
export interface Comparison {
  probeId: string;
  isAgainst: boolean;
}

/** The votes on a monitor, if enough regions vote and more than half of them say that it is up. */
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

/** How the votes of each probe compare with those of most other regions, over the monitors of one shard. */
export const agreementsQuery = shardQuery({
  name: 'agreements',
  params: z.object({}),
  response: z.record(z.string(), z.object({ monitors: z.int(), against: z.int() })),
  fromMemory: ({ state }) => agreementsOf([...state.monitors.values()].map((monitor) => monitor.state)),
});

/** By probe; leaves out those without comparisons. */
export function agreementsOf(monitors: Iterable<MonitorState>): Record<string, Agreement> {
  const found = new Map<string, Agreement>();
  const ofOrganization = new Map<string, number>();
  for (const state of monitors) {
    const organization = state.config.organization_id;
    const compared = ofOrganization.get(organization) ?? 0;
    const comparisons = compared < MAX_MONITORS_PER_ORGANIZATION ? comparisonsOf(state) : [];
    if (comparisons.length > 0) ofOrganization.set(organization, compared + 1);
    for (const { probeId, isAgainst } of comparisons) {
      const { monitors: count, against } = found.get(probeId) ?? { monitors: 0, against: 0 };
      found.set(probeId, { monitors: count + 1, against: against + (isAgainst ? 1 : 0) });
    }
  }
  return Object.fromEntries(found);
}

/**
 * How the votes of each probe compare with those of most other regions, over all monitors: the owners of the
 * shards are asked, one in a turn, so that every controller knows the same.
 */
export class Agreements {
  readonly #owners: Pick<ShardQueries, 'requestOnce'>;
  readonly #byShard = new Map<number, Record<string, Agreement>>();
  #nextShard = 0;

  constructor(owners: Pick<ShardQueries, 'requestOnce'>) {
    this.#owners = owners;
  }

  /** As the owners last answered; null for a probe without comparisons. */
  of(probeId: string): Agreement | null {
    const found = [...this.#byShard.values()].flatMap((shard) => shard[probeId] ?? []);
    if (found.length === 0) return null;
    const sum = (name: keyof Agreement) => found.reduce((total, one) => total + one[name], 0);
    return { monitors: sum('monitors'), against: sum('against') };
  }

  /** Asks the owner of the next shard. What it said before is forgotten if it does not answer. */
  async pollNextShard(): Promise<void> {
    const shard = this.#nextShard;
    this.#nextShard = (shard + 1) % SHARD_COUNT;
    const response = await this.#owners.requestOnce(shard, agreementsQuery, {});
    if (response) this.#byShard.set(shard, response);
    else this.#byShard.delete(shard);
  }
}
