import type { Assignment } from '../../shared/contracts/assignment.ts';
import { fnv1a } from '../../shared/ids.ts';
import type { AssignmentDoc, PlannedChange } from './assignment-doc.ts';

/**
 * The probe among `probeIds` that runs the monitor, by rendezvous hashing: when a probe comes or goes only the
 * monitors that it takes or leaves move. Null without probes.
 */
export function chooseProbe(monitorId: string, probeIds: readonly string[]): string | null {
  const monitorHash = fnv1a(monitorId);
  let best: string | null = null;
  let bestWeight = -1;
  for (const probeId of probeIds) {
    const weight = mix(monitorHash ^ mix(fnv1a(probeId)));
    if (weight > bestWeight || (weight === bestWeight && best !== null && probeId < best)) {
      best = probeId;
      bestWeight = weight;
    }
  }
  return best;
}

/** At most `limit` of `ids`, the same ones for the same key, and few others when `ids` changes. In order of id. */
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

/**
 * Offset of a monitor's slots in its interval, ms, from 0 to `intervalMs - 1`: spread over the interval by the
 * monitor's hash, and the monitor's regions evenly apart, so that R regions see a fault within interval / R.
 */
export function phaseMs(monitorId: string, intervalMs: number, regionIndex: number, regionCount: number): number {
  const base = mix(fnv1a(monitorId)) % intervalMs;
  return (base + Math.floor((regionIndex * intervalMs) / regionCount)) % intervalMs;
}

export interface RegionProbe {
  probeId: string;
  /** Heard within the time that a probe is given to come back. */
  isPresent: boolean;
  isDraining: boolean;
}

/**
 * Which of a region's enrolled probes take monitors: present ones that are not drained; failing that present ones;
 * failing that those that may come back. So a region's last probe keeps its monitors whatever befalls it.
 */
export function eligibleProbes(probes: readonly RegionProbe[]): string[] {
  const tiers = [
    (probe: RegionProbe) => probe.isPresent && !probe.isDraining,
    (probe: RegionProbe) => probe.isPresent,
    (probe: RegionProbe) => !probe.isDraining,
    () => true,
  ];
  for (const isIn of tiers) {
    const tier = probes.filter(isIn);
    if (tier.length > 0) return tier.map((probe) => probe.probeId).sort();
  }
  return [];
}

export interface MonitorPlan {
  monitorId: string;
  organizationId: string;
  monitorRev: number;
  /** What each region should run; empty when the monitor is not to run at all. */
  wanted: ReadonlyMap<string, Assignment>;
  /** All the items there are of this monitor, tombstones too. */
  held: readonly AssignmentDoc[];
}

/**
 * The changes that make one probe per wanted region run the monitor, and no other. None when all is so already, or
 * when somebody has acted on a later revision of the monitor. A region without probes keeps what it has.
 */
export function planMonitor(plan: MonitorPlan, eligible: (region: string) => readonly string[]): PlannedChange[] {
  if (plan.held.some((item) => item.monitor_rev > plan.monitorRev)) return [];
  const changes: PlannedChange[] = [];
  const common = { monitorId: plan.monitorId, monitorRev: plan.monitorRev, organizationId: plan.organizationId };
  const targets = new Set<string>();
  const unserved = new Set<string>();
  for (const [region, assignment] of plan.wanted) {
    const probeId = chooseProbe(plan.monitorId, eligible(region));
    if (probeId === null) {
      unserved.add(region);
      continue;
    }
    targets.add(probeId);
    const present = plan.held.find((item) => item.probe_id === probeId);
    if (!isSettled(present, assignment)) changes.push({ probeId, region, assignment, ...common });
  }
  for (const item of plan.held) {
    if (targets.has(item.probe_id) || unserved.has(item.region)) continue;
    if (item.gone && item.pending === undefined) continue;
    changes.push({ probeId: item.probe_id, region: item.region, assignment: null, ...common });
  }
  return changes;
}

/** Whether the item says what is wanted, and said so under a revision of its probe. */
function isSettled(item: AssignmentDoc | undefined, assignment: Assignment): boolean {
  if (!item || item.gone || item.pending !== undefined) return false;
  return JSON.stringify(item.assignment) === JSON.stringify(assignment);
}

/** Finaliser of MurmurHash3 (32 bit, public domain): FNV alone leaves the high bits of similar keys alike. */
function mix(hash: number): number {
  let value = hash >>> 0;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
