import type { CheckError } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../monitor-config.ts';
import type { MonitorState } from '../monitor-state.ts';
import { assignedRegions, isAssigned, voteOf } from './quorum-rules.ts';

/**
 * Whether a vote counted. `same_fault_domain`: another region of its network represents both; `unassigned`:
 * the region does not have the monitor; `silent`: it has not reported.
 */
export const VOTE_WEIGHTS = ['counted', 'same_fault_domain', 'unassigned', 'silent', 'quarantined'] as const;

/** The reason of an `up` vote of a region whose latest checks failed. */
const UNCONFIRMED = 'fails, not confirmed yet';

/** One region's vote at the time of a verdict. Unknown fields are absent. */
export interface CastVote {
  region: string;
  vote: 'up' | 'down' | 'none';
  weight: (typeof VOTE_WEIGHTS)[number];
  probe_id?: string;
  /** When its latest check began or a witness responded, Unix ms. */
  at?: number;
  /** Consecutive failed checks; 1 for a success. */
  attempt?: number;
  /** Version of the probe. */
  engine?: string;
  error?: CheckError;
  /** Why it has no vote, or that its failure is not yet confirmed. */
  reason?: string;
}

/** The votes for the start or end of an outage. Its id is derived, so repeated writes have no effect. */
export interface VoteRecord {
  id: string;
  organization_id: string;
  project_id: string;
  monitor_id: string;
  incident_id: string;
  /** When the verdict was reached, Unix ms. */
  at: number;
  verdict: 'down' | 'up';
  policy: { regions: MonitorConfig['quorum']; retries: number };
  votes: CastVote[];
}

/** The regions whose vote counted, and those without a vote. */
export interface VoteSummary {
  down: string[];
  up: string[];
  /** They saw a failure and are rechecking, which does not count against the outage. */
  rechecking: string[];
  silent: string[];
}

/** Null if only one region could vote. */
export function summaryOf(votes: CastVote[]): VoteSummary | null {
  const regionsWith = (vote: CastVote['vote'], weight: CastVote['weight'], reason?: string) => votes
    .filter((one) => one.vote === vote && one.weight === weight && (vote === 'none' || one.reason === reason))
    .map(({ region }) => region);
  const counted = (vote: 'up' | 'down', reason?: string) => regionsWith(vote, 'counted', reason);
  const summary = {
    down: counted('down'), up: counted('up'), rechecking: counted('up', UNCONFIRMED),
    silent: [...regionsWith('none', 'silent'), ...regionsWith('none', 'quarantined')],
  };
  return Object.values(summary).flat().length > 1 ? summary : null;
}

/** The current votes: assigned regions in order, then witnesses and other regions with results. */
export function castVotes(state: MonitorState): CastVote[] {
  const { config, regions, witnesses } = state;
  const assigned = assignedRegions(state);
  const witnessEntries = Object.entries(witnesses ?? {});
  const others = Object.keys(regions).filter((name) => !isAssigned(config, name) && regions[name]?.last_at);
  const countedRegions = countedRegionsOf(assigned.flatMap((region) => {
    const vote = voteOf(state, region);
    return vote === null ? [] : [{ region, domain: config.domains?.[region], isDown: vote === 'down' }];
  }));
  const countedWitnesses =
    countedRegionsOf(witnessEntries.map(([region, { domain, vote }]) => ({ region, domain, isDown: vote === 'down' })));
  return [
    ...assigned.map((name) => castVoteOf(state, name, weightOf(state, name, countedRegions))),
    ...witnessEntries.map(([region, { domain: _domain, error, ...witness }]): CastVote => {
      const weight = countedWitnesses.has(region) ? 'counted' : 'same_fault_domain';
      return { region, ...witness, weight, ...(error ? { error } : {}) };
    }),
    ...others.map((name) => castVoteOf(state, name, 'unassigned')),
  ];
}

function castVoteOf({ regions }: MonitorState, name: string, weight: CastVote['weight']): CastVote {
  const { verdict = 'unknown', probe_id, last_at, engine, fails = 0, error, reason } = regions[name] ?? {};
  const seen = {
    region: name, weight, ...(probe_id ? { probe_id } : {}), ...(last_at ? { at: last_at } : {}),
    ...(engine ? { engine } : {}),
  };
  return verdict === 'unknown'
    ? { ...seen, vote: 'none', reason: reason ?? 'nothing heard yet' }
    : {
      ...seen, vote: verdict, attempt: Math.max(1, fails), ...(error ? { error } : {}),
      ...(verdict === 'up' && fails > 0 ? { reason: UNCONFIRMED } : {}),
    };
}

function weightOf(state: MonitorState, name: string, countedRegions: Set<string>): CastVote['weight'] {
  if (voteOf(state, name) !== null) return countedRegions.has(name) ? 'counted' : 'same_fault_domain';
  return state.regions[name]?.reason === 'quarantined' ? 'quarantined' : 'silent';
}

/** The regions whose votes count: the first in each network with its mildest vote. */
function countedRegionsOf(
  voters: { region: string; domain: string | undefined; isDown: boolean }[],
): Set<string> {
  const mildestFirst = [...voters.filter(({ isDown }) => !isDown), ...voters.filter(({ isDown }) => isDown)];
  const byNetwork = new Map<string, string>();
  for (const { region, domain = ` ${region}` } of mildestFirst) {
    if (!byNetwork.has(domain)) byNetwork.set(domain, region);
  }
  return new Set(byNetwork.values());
}
