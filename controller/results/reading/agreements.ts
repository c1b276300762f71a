import { z } from 'zod';
import { SHARD_COUNT } from '../../../shared/ids.ts';
import type { Agreement } from '../../probes/quarantine-rules.ts';
import { assignedRegions, voteOf } from '../../verdicts/votes/quorum-rules.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';
import { shardQuery, type ShardQueries } from '../shards/shard-queries.ts';

/** With fewer regions, it is unclear which one is wrong. */
const MIN_VOTES = 3;
/**
 * Limit per organization in each of the 16 shards, because an organization's targets may respond differently
 * to some probes.
 */
const MAX_MONITORS_PER_ORGANIZATION = 2;

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

/** How each probe's votes compare with most other regions, over one shard's monitors. */
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
 * How each probe's votes compare with most other regions, over all monitors. Polls the shards' owners, one
 * per turn, so that all controllers have the same data.
 */
export class Agreements {
  readonly #owners: Pick<ShardQueries, 'requestOnce'>;
  readonly #byShard = new Map<number, Record<string, Agreement>>();
  #nextShard = 0;

  constructor(owners: Pick<ShardQueries, 'requestOnce'>) {
    this.#owners = owners;
  }

  /** By the owners' latest responses; null for a probe without comparisons. */
  of(probeId: string): Agreement | null {
    const found = [...this.#byShard.values()].flatMap((shard) => shard[probeId] ?? []);
    if (found.length === 0) return null;
    const sum = (name: keyof Agreement) => found.reduce((total, one) => total + one[name], 0);
    return { monitors: sum('monitors'), against: sum('against') };
  }

  /** Polls the next shard's owner. Its earlier response is dropped if it does not respond. */
  async pollNextShard(): Promise<void> {
    const shard = this.#nextShard;
    this.#nextShard = (shard + 1) % SHARD_COUNT;
    const response = await this.#owners.requestOnce(shard, agreementsQuery, {});
    if (response) this.#byShard.set(shard, response);
    else this.#byShard.delete(shard);
  }
}
