import type { Assignment } from '../../shared/contracts/assignment.ts';
import { fnv1a, mix } from '../../shared/ids.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import { isEnrolled, type ProbeDoc, type RegionDoc } from '../probes/probe.ts';
import type { Presence } from '../probes/rules.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import type { Assigned } from '../verdicts/monitor-state.ts';
import type { AssignmentDoc, PlannedChange } from './assignment-doc.ts';

/** The monitor's fields that determine its regions. */
export interface RegionChoice {
  monitor_id: string;
  organization_id: string;
  /** Region ids; empty if the choice is automatic. */
  monitoring_regions: string[];
}

type Directory = Pick<FleetDirectory, 'regions' | 'probesOf' | 'isServed'>;

/** The regions in which a monitor runs, in order: the existing ones it names, otherwise automatic ones. */
export function regionsOf(directory: Directory, choice: RegionChoice, limit: number): string[] {
  return chooseSome(choice.monitor_id, possibleRegions(directory, choice), limit);
}

/**
 * The assigned regions of a monitor as this controller knows them. Null for a heartbeat, and until the plan's
 * limit is known.
 */
export function assignedOf(
  directory: Directory, config: MonitorConfig, limit: number | null,
): Assigned | null {
  if (limit === null || config.type === 'HEARTBEAT') return null;
  return withSharedDomains(directory, regionsOf(directory, config, limit));
}

/** The regions, and those among them that share a network. */
export function withSharedDomains(directory: Directory, assigned: string[]): Assigned {
  return { assigned, domains: sharedDomains(directory, assigned) };
}

/** The regions that a monitor names and may use; otherwise the shared ones, preferably those with probes. */
function possibleRegions(directory: Directory, choice: RegionChoice): string[] {
  const { monitoring_regions: named, organization_id: owner } = choice;
  const regions = directory.regions();
  const isShared = (region: RegionDoc) => region.visibility === 'shared';
  if (named.length > 0) {
    const usable = regions.filter((region) => isShared(region) || region.organization_id === owner);
    return usable.map(({ _id }) => _id).filter((id) => named.includes(id));
  }
  const shared = regions.filter(isShared).map(({ _id }) => _id);
  const served = shared.filter((id) => directory.isServed(id));
  return served.length > 0 ? served : shared;
}

/** Only networks with two or more of the regions. The only region of a network always has its own vote. */
function sharedDomains(directory: Directory, regions: string[]): Assigned['domains'] {
  if (regions.length < 2) return null;
  const domains = regions.map((region) => domainOf(directory.probesOf(region)));
  const shared = regions.flatMap((region, index) => {
    const domain = domains[index];
    const isShared = domain && domains.indexOf(domain) !== domains.lastIndexOf(domain);
    return isShared ? [[region, domain]] : [];
  });
  return shared.length > 0 ? Object.fromEntries(shared) : null;
}

/** The network of all of a region's probes; null if it is unknown or the probes are in several. */
export function domainOf(probes: readonly ProbeDoc[]): string | null {
  const domains = new Set(probes.filter(isEnrolled).map(({ asn, provider }) =>
    (asn ? `AS${asn}` : provider?.trim().toLowerCase() ?? '')));
  const [only] = domains;
  return domains.size === 1 && only ? only : null;
}

/** The probe among `probeIds` that runs the monitor, by `chooseSome`; null without probes. */
export function chooseProbe(monitorId: string, probeIds: readonly string[]): string | null {
  return chooseSome(monitorId, probeIds, 1)[0] ?? null;
}

/**
 * At most `limit` of `ids`, in order of id, by rendezvous hashing: stable for a key, and adding or removing
 * an id changes the choice only for the keys that it gains or loses.
 */
export function chooseSome(key: string, ids: readonly string[], limit: number): string[] {
  if (ids.length <= limit) return [...ids].sort();
  const keyHash = fnv1a(key);
  return ids
    .map((id) => ({ id, weight: mix(keyHash ^ mix(fnv1a(id))) }))
    .sort((a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map((one) => one.id)
    .sort();
}

interface RegionProbe {
  probeId: string;
  presence: Presence;
  isDraining: boolean;
  isQuarantined: boolean;
}

/**
 * The region's enrolled probes that accept monitors: only the best ones, so that the last probe always keeps
 * its monitors. From best to worst: healthy, draining, without a vote, away.
 */
export function eligibleProbes(probes: readonly RegionProbe[]): string[] {
  const isSound = ({ presence, isQuarantined }: RegionProbe) => presence !== 'away' && !isQuarantined;
  const tiers = [
    (probe: RegionProbe) => isSound(probe) && probe.presence === 'steady' && !probe.isDraining,
    (probe: RegionProbe) => isSound(probe) && !probe.isDraining,
    isSound,
    ({ presence }: RegionProbe) => presence !== 'away',
    ({ isDraining }: RegionProbe) => !isDraining,
    () => true,
  ];
  const best = tiers.map((isIn) => probes.filter(isIn)).find((tier) => tier.length > 0) ?? [];
  return best.map((probe) => probe.probeId).sort();
}

/**
 * The probes of a region that receive moving monitors, and those that keep theirs for now. Nothing moves
 * until a probe is steady; otherwise the first one back would take everything. A returned probe keeps its
 * monitors until it is steady.
 */
export function movesAmong(probes: readonly RegionProbe[]): { targets: string[]; keepers: string[] } {
  const eligible = eligibleProbes(probes);
  const isAnySteady =
    probes.some(({ probeId, presence }) => presence === 'steady' && eligible.includes(probeId));
  const keepers = probes.filter(({ presence, isDraining, isQuarantined }) =>
    presence === 'returned' && !isDraining && !isQuarantined);
  return {
    targets: isAnySteady ? eligible : [], keepers: keepers.map(({ probeId }) => probeId).sort(),
  };
}

interface MonitorPlan {
  monitor: { _id: string; organization_id: string; revision: number };
  /** What each region should run; empty if the monitor should not run at all. */
  wanted: ReadonlyMap<string, Assignment>;
  /** All items of this monitor, including tombstones. */
  held: readonly AssignmentDoc[];
}

/**
 * The changes after which exactly one probe per wanted region runs the monitor. None if that is already so,
 * or if a later revision of the monitor was applied. A region without probes keeps its items.
 */
export function planMonitor(
  { monitor, wanted, held }: MonitorPlan,
  eligible: (region: string) => readonly string[],
): PlannedChange[] {
  const { _id: monitor_id, revision: monitor_rev, organization_id } = monitor;
  if (held.some((item) => item.monitor_rev > monitor_rev)) return [];
  const ids = { monitor_id, monitor_rev, organization_id };
  const changes: PlannedChange[] = [];
  const targets = new Set<string>();
  const unserved = new Set<string>();
  for (const [region, assignment] of wanted) {
    const probeId = chooseProbe(monitor_id, eligible(region));
    if (probeId === null) {
      unserved.add(region);
      continue;
    }
    targets.add(probeId);
    const current = held.find((item) => item.probe_id === probeId);
    if (!isSettled(current, assignment)) changes.push({ probe_id: probeId, region, assignment, ...ids });
  }
  for (const { probe_id, region, gone, pending } of held) {
    if (targets.has(probe_id) || unserved.has(region) || (gone && pending === undefined)) continue;
    changes.push({ probe_id, region, assignment: null, ...ids });
  }
  return changes;
}

/** Whether the item has the wanted assignment under a revision of its probe. */
function isSettled(item: AssignmentDoc | undefined, assignment: Assignment): boolean {
  if (!item || item.gone || item.pending !== undefined) return false;
  if (JSON.stringify(item.assignment) === JSON.stringify(assignment)) return true;
  // A database that omits nulls returns fields in another order.
  return inOrder(item.assignment) === inOrder(assignment);
}

/** JSON with the fields of each object sorted by name. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    (typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner));
}
