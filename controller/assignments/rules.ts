import type { Assignment } from '../../shared/contracts/assignment.ts';
import { fnv1a } from '../../shared/ids.ts';
import { mix } from '../monitors/slot-rules.ts';
import type { Presence } from '../probes/rules.ts';
import type { AssignmentDoc, PlannedChange } from './assignment-doc.ts';

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
