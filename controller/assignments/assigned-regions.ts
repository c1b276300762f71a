import type { FleetDirectory } from '../probes/directory.ts';
import { isEnrolled, type ProbeDoc, type RegionDoc } from '../probes/probe.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import type { Assigned } from '../verdicts/monitor-state.ts';
import { chooseSome } from './rules.ts';

/** The monitor's fields that determine its regions. */
export interface RegionChoice {
  monitor_id: string;
  organization_id: string;
  /** Region ids; empty if the choice is automatic. */
  monitoring_regions: string[];
}

type Directory = Pick<FleetDirectory, 'regions' | 'probesOf'>;

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
  const served = shared.filter((id) => directory.probesOf(id).some(isEnrolled));
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
