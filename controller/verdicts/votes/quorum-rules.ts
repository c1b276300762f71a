import type { CastVote, VoteSummary } from '../effect.ts';
import type { MonitorConfig, RuntimeStatus } from '../monitor-config.ts';
import type { MonitorState } from '../monitor-state.ts';

/** With several assigned regions, a majority is never fewer down votes than these. */
const MIN_DOWN_VOTES = 2;

/** From mildest to worst. Regions in one fault domain share the mildest of their votes. */
const VOTES = ['up', 'degraded', 'down'] as const;
export type Vote = (typeof VOTES)[number];

/** The number of votes, in total and by value. */
interface Tally {
  votes: number;
  down: number;
  degraded: number;
}

type Voters = Pick<MonitorState, 'config' | 'regions'> & Partial<Pick<MonitorState, 'witnesses' | 'minority_accepted'>>;

/**
 * The verdict of all votes. `short`: the reporting regions vote "down" but are too few for a verdict; the
 * status stays until more votes arrive.
 */
export type Verdict = Exclude<RuntimeStatus, 'paused'> | 'short';

/** The required number of down votes: at least one. A fixed number is independent of the number of votes. */
export function requiredVotes(quorum: MonitorConfig['quorum'], votes: number): number {
  if (quorum === 'any') return 1;
  if (quorum === 'all') return Math.max(1, votes);
  if (quorum === 'majority') return Math.floor(votes / 2) + 1;
  return Math.max(1, quorum);
}

/**
 * The verdict of the assigned regions. Silent and unassigned regions have no vote. Without votes, or with
 * fewer than a fixed quorum, the monitor is `unknown`, never `down`.
 */
export function verdictOf(voters: Voters): Verdict {
  const { config: { quorum } } = voters;
  const { votes, down, degraded } = tallyOf(voters);
  if (votes === 0 || (typeof quorum === 'number' && votes < quorum)) return 'unknown';
  if (down < requiredVotes(quorum, votes)) return degraded * 2 > votes - down ? 'degraded' : 'up';
  return down < minDownVotes(voters) && !voters.minority_accepted ? 'short' : 'down';
}

/** The regions whose probes have the monitor; if unknown, the regions it names, or all that have reported. */
export function assignedRegions({ config, regions }: Pick<MonitorState, 'config' | 'regions'>): string[] {
  const { assigned, monitoring_regions: named } = config;
  return assigned ?? (named.length > 0 ? named : Object.keys(regions));
}

/** True if a region's results count for this monitor. */
export function isAssigned(
  { assigned, monitoring_regions: named }: Pick<MonitorConfig, 'assigned' | 'monitoring_regions'>, region: string,
): boolean {
  return assigned ? assigned.includes(region) : named.length === 0 || named.includes(region);
}

/** A region's vote; null if it has none. */
export function voteOf({ config, regions }: Pick<MonitorState, 'config' | 'regions'>, name: string): Vote | null {
  const region = regions[name];
  if (!region || region.verdict === 'unknown' || !isAssigned(config, name)) return null;
  return region.verdict === 'down' ? 'down' : region.degraded ? 'degraded' : 'up';
}

/** Witness votes count only while the assigned regions are too few. */
function tallyOf(voters: Voters): Tally {
  const { config: { domains }, regions, witnesses } = voters;
  const tally = { votes: 0, down: 0, degraded: 0 };
  // Usually there are no domains. This path runs for each result, so it only counts.
  const shared = domains || witnesses ? new Map<string, Vote>() : null;
  for (const name in regions) {
    const vote = voteOf(voters, name);
    if (vote !== null) cast(tally, vote, shared, domains?.[name]);
  }
  if (witnesses && tally.votes < minDownVotes(voters)) {
    for (const { vote, domain } of Object.values(witnesses)) cast(tally, vote, shared, domain);
  }
  return tally;
}

function cast(tally: Tally, vote: Vote, shared: Map<string, Vote> | null, domain: string | undefined): void {
  if (!shared || domain === undefined) return add(tally, vote, 1);
  const previous = shared.get(domain);
  if (previous !== undefined && VOTES.indexOf(previous) <= VOTES.indexOf(vote)) return;
  if (previous !== undefined) add(tally, previous, -1);
  add(tally, vote, 1);
  shared.set(domain, vote);
}

function add(tally: Tally, vote: Vote, count: 1 | -1): void {
  tally.votes += count;
  if (vote !== 'up') tally[vote] += count;
}

/** The minimum number of down votes for a verdict, whatever the quorum. */
function minDownVotes(voters: Pick<MonitorState, 'config' | 'regions'>): number {
  if (voters.config.quorum !== 'majority') return 1;
  return assignedRegions(voters).length >= MIN_DOWN_VOTES ? MIN_DOWN_VOTES : 1;
}

/** The down votes required if all assigned regions vote. */
export function requiredOfAllRegions(voters: Pick<MonitorState, 'config' | 'regions'>): number {
  const votes = votesOf(voters.config.domains, assignedRegions(voters));
  return Math.max(minDownVotes(voters), requiredVotes(voters.config.quorum, votes));
}

/** The number of votes that these regions have together. */
export function votesOf(domains: MonitorConfig['domains'], regions: string[]): number {
  return new Set(regions.map((region) => domains?.[region] ?? ` ${region}`)).size;
}

/** The reason of an `up` vote of a region whose latest checks failed. */
const UNCONFIRMED = 'fails, not confirmed yet';

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
