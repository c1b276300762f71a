import type { Agreement } from '../../probes/quarantine-rules.ts';
import { assignedRegions, voteOf } from '../../verdicts/quorum-rules.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';

/** Fewer regions do not show which of them is wrong. */
const FEWEST_VOTES = 3;
/** Of one organization so many are compared: its targets may tell some probes other things than others. */
const MOST_OF_ORGANIZATION = 25;

interface ShardStates {
  readonly monitors: ReadonlyMap<string, { readonly state: MonitorState }>;
}

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
  if (votes.length < FEWEST_VOTES || up * 2 <= votes.length) return [];
  return votes.map(({ probeId, isDown }) => ({ probeId, isAgainst: isDown }));
}

/**
 * How the votes of each probe compare with those of most other regions, over the monitors of the shards here.
 * Looks at one shard in a turn, so that no turn takes long.
 */
export class Agreements {
  readonly #shards: () => ReadonlyMap<number, ShardStates>;
  #left: number[] = [];
  /** Of the round under way: comparisons by probe, and how many of each organization. */
  #counts = new Map<string, Agreement & { ofOrganization: Map<string, number> }>();
  #known = new Map<string, Agreement>();

  constructor(shards: () => ReadonlyMap<number, ShardStates>) {
    this.#shards = shards;
  }

  /** As of the last whole round; null for a probe without comparisons. */
  of(probeId: string): Agreement | null {
    return this.#known.get(probeId) ?? null;
  }

  turn(): void {
    const shards = this.#shards();
    const shard = this.#left.pop();
    for (const { state } of shards.get(shard ?? -1)?.monitors.values() ?? []) this.#compare(state);
    if (this.#left.length > 0) return;
    this.#known = this.#counts;
    this.#counts = new Map();
    this.#left = [...shards.keys()];
  }

  #compare(state: MonitorState): void {
    const { organization_id: organization } = state.config;
    for (const { probeId, isAgainst } of comparisonsOf(state)) {
      const counts =
        this.#counts.get(probeId) ?? { monitors: 0, against: 0, ofOrganization: new Map<string, number>() };
      this.#counts.set(probeId, counts);
      const known = counts.ofOrganization.get(organization) ?? 0;
      if (known >= MOST_OF_ORGANIZATION) continue;
      counts.ofOrganization.set(organization, known + 1);
      counts.monitors += 1;
      if (isAgainst) counts.against += 1;
    }
  }
}
