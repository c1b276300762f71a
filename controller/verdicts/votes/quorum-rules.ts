import type { MonitorConfig, RuntimeStatus } from '../monitor-config.ts';
import type { MonitorState } from '../monitor-state.ts';

/** Where several regions are assigned, a majority is never fewer down votes than these. */
const MIN_DOWN_VOTES = 2;

/** From the mildest to the worst; regions in one fault domain have the mildest of their votes. */
const VOTES = ['up', 'degraded', 'down'] as const;
export type Vote = (typeof VOTES)[number];

/** How many votes there are, and how many of them say what. */
interface Tally {
  votes: number;
  down: number;
  degraded: number;
}

type Voters = Pick<MonitorState, 'config' | 'regions'> & Partial<Pick<MonitorState, 'witnesses' | 'minority_accepted'>>;

/**
 * The verdict of all votes; `short` if those that report say "down" and are too few to be believed alone:
 * then the status stays as it is until others have been asked.
 */
export type Verdict = Exclude<RuntimeStatus, 'paused'> | 'short';

/** How many of `votes` must say "down": at least one. A number asks for that many, however few there are. */
export function requiredVotes(quorum: MonitorConfig['quorum'], votes: number): number {
  if (quorum === 'any') return 1;
  if (quorum === 'all') return Math.max(1, votes);
  if (quorum === 'majority') return Math.floor(votes / 2) + 1;
  return Math.max(1, quorum);
}

/**
 * The verdict of the assigned regions together. A region that does not report has no vote, nor has one that
 * is not assigned; without any vote, or with fewer than a number asks for, the monitor is `unknown`, never
 * `down`.
 */
export function verdictOf(voters: Voters): Verdict {
  const { config: { quorum } } = voters;
  const { votes, down, degraded } = tallyOf(voters);
  if (votes === 0 || (typeof quorum === 'number' && votes < quorum)) return 'unknown';
  if (down < requiredVotes(quorum, votes)) return degraded * 2 > votes - down ? 'degraded' : 'up';
  return down < minDownVotes(voters) && !voters.minority_accepted ? 'short' : 'down';
}

/** The regions whose probes have the monitor; where that is not known, those it names, or all heard of. */
export function assignedRegions({ config, regions }: Pick<MonitorState, 'config' | 'regions'>): string[] {
  const { assigned, monitoring_regions: named } = config;
  return assigned ?? (named.length > 0 ? named : Object.keys(regions));
}

/** True when a region's results count for this monitor. */
export function isAssigned({ assigned, monitoring_regions: named }: MonitorConfig, region: string): boolean {
  return assigned ? assigned.includes(region) : named.length === 0 || named.includes(region);
}

/** What a region says; null if it has no vote. */
export function voteOf({ config, regions }: Pick<MonitorState, 'config' | 'regions'>, name: string): Vote | null {
  const region = regions[name];
  if (!region || region.verdict === 'unknown' || !isAssigned(config, name)) return null;
  return region.verdict === 'down' ? 'down' : region.degraded ? 'degraded' : 'up';
}

/** Unassigned regions that were asked count as long as the assigned ones are too few. */
function tallyOf(voters: Voters): Tally {
  const { config: { domains }, regions, witnesses } = voters;
  const tally = { votes: 0, down: 0, degraded: 0 };
  // Without domains, as for most, this is only a count: it runs for each result.
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

/** The fewest down votes that are believed, whatever share of the votes they are. */
function minDownVotes(voters: Pick<MonitorState, 'config' | 'regions'>): number {
  if (voters.config.quorum !== 'majority') return 1;
  return assignedRegions(voters).length >= MIN_DOWN_VOTES ? MIN_DOWN_VOTES : 1;
}

/** A stretch (Unix ms) in which enough regions were down, with the outages that they saw. */
export interface AgreedRange<T> {
  from: number;
  until: number;
  by: T[];
}

/**
 * The stretches in which enough votes were down, in order, if all assigned regions could have voted: what
 * was not heard in time has to be clear without those that are silent.
 */
export function agreedRanges<T extends { region: string; from: number; until: number }>(
  voters: Pick<MonitorState, 'config' | 'regions'>, found: T[],
): AgreedRange<T>[] {
  const required = requiredOfAllRegions(voters);
  const assigned = assignedRegions(voters);
  const { domains } = voters.config;
  const edges = new Set(found.flatMap(({ from, until }) => [from, until]));
  const bounds = [...edges].sort((one, other) => one - other);
  const ranges: AgreedRange<T>[] = [];
  bounds.slice(0, -1).forEach((from, index) => {
    const until = bounds[index + 1] as number;
    const by = found.filter((outage) => outage.from <= from && outage.until >= until);
    // A network says "down" only if all of its regions do.
    const others = assigned.filter((name) => !by.some(({ region }) => region === name));
    if (votesOf(domains, assigned) - votesOf(domains, others) < required) return;
    const last = ranges.at(-1);
    if (last?.until === from) {
      last.until = until;
      last.by = [...new Set([...last.by, ...by])];
    } else ranges.push({ from, until, by });
  });
  return ranges;
}

/** The down votes required if all assigned regions vote. */
export function requiredOfAllRegions(voters: Pick<MonitorState, 'config' | 'regions'>): number {
  const votes = votesOf(voters.config.domains, assignedRegions(voters));
  return Math.max(minDownVotes(voters), requiredVotes(voters.config.quorum, votes));
}

/** How many votes these regions have together. */
export function votesOf(domains: MonitorConfig['domains'], regions: string[]): number {
  return new Set(regions.map((region) => domains?.[region] ?? ` ${region}`)).size;
}
