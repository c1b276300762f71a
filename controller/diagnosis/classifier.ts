import type { CheckError } from '../../shared/contracts/result.ts';
import { classifyAddress, networkOf } from '../../shared/net-guard.ts';
import { type Tenant, tenantOf } from '../access/tenant.ts';
import { featureParts } from '../verdicts/features/feature-rules.ts';
import { classify, classifyByRule, type Verdict } from './classification-rules.ts';
import type { DiagnosisDoc, RegionExamination } from './diagnosis.ts';
import { addressesOf, EDGE_WINDOW_MS, type Observation, type Surroundings } from './observation-rules.ts';
import type { DiagnosisStore } from './store.ts';

interface FeaturedMonitor {
  monitor_id: string;
  features: readonly string[];
}

export interface ClassifierDeps {
  diagnoses: Pick<DiagnosisStore, 'around'>;
  features: {
    /** Monitors of the organization with this feature, and all of theirs. */
    having(organizationId: string, feature: string, limit: number): Promise<FeaturedMonitor[]>;
  };
  monitors: {
    /** By id. Omits ids that are not monitors of this project. */
    summaries(tenant: Tenant, ids: string[]): Promise<ReadonlyMap<string, unknown>>;
  };
  /** When the latest successful check of each monitor started, Unix ms. */
  lastSuccesses(monitorIds: string[]): Promise<Map<string, number | null>>;
  /** Pairs of probes of which the first cannot ping the second. */
  brokenEdges(probeIds: readonly string[]): Surroundings['broken_edges'];
  /** The region's name and the network of its probes. */
  describe(region: string): Pick<Observation, 'label' | 'network'>;
}

/** Maximum monitors considered as neighbors. */
const MAX_NEIGHBORS = 20;

export type Failure =
  Pick<DiagnosisDoc, 'organization_id' | 'project_id' | 'monitor_id' | 'failed_at' | 'regions' | 'is_dns'>;

interface Classified {
  verdict: Verdict;
  /** Whether other monitors can't show more later. */
  isFinal: boolean;
}

/** Classifies failures by examinations, other monitors and the mesh. */
export class Classifier {
  readonly #deps: ClassifierDeps;

  constructor(deps: ClassifierDeps) {
    this.#deps = deps;
  }

  /**
   * Reads other monitors only if nothing else shows why the target is down everywhere. `error`: the failure
   * that counted; null if somebody requested the diagnosis.
   */
  async classify(failure: Failure, error: CheckError | null): Promise<Classified> {
    const own = {
      observations: this.#observations(failure.regions), error, is_dns: failure.is_dns ?? false,
      broken_edges: this.#deps.brokenEdges(failure.regions.map(({ probe_id }) => probe_id)),
      others: [], neighbor: null,
    };
    const decided = classifyByRule(own);
    if (decided !== null) return { verdict: decided, isFinal: true };
    if (!isDownEverywhere(failure.regions)) return { verdict: classify(own), isFinal: true };
    const compared = classifyByRule({ ...own, ...await this.#surroundingsOf(failure) });
    return { verdict: compared ?? classify(own), isFinal: compared !== null };
  }

  #observations(regions: RegionExamination[]): Observation[] {
    return regions.map((one) => ({ ...this.#deps.describe(one.region), ...one }));
  }

  async #surroundingsOf(failure: Failure): Promise<Pick<Surroundings, 'others' | 'neighbor'>> {
    const { monitor_id, failed_at } = failure;
    const tenant = tenantOf(failure);
    const [near, neighbor] = await Promise.all([
      this.#deps.diagnoses.around(tenant, failed_at - EDGE_WINDOW_MS, failed_at + EDGE_WINDOW_MS),
      this.#neighborOf(tenant, failure),
    ]);
    const others = near.filter((one) => one.monitor_id !== monitor_id)
      .map(({ monitor_id, regions }) => ({ monitor_id, observations: this.#observations(regions) }));
    return { others, neighbor };
  }

  async #neighborOf(tenant: Tenant, { regions, failed_at }: Failure): Promise<string | null> {
    const own = addressesOf(regions);
    // Two sites may use the same private network, so a neighbor there may be elsewhere.
    const unambiguous = own.filter((address) => classifyAddress(address) !== 'private');
    for (const network of new Set(unambiguous.map(networkOf))) {
      const having = await this.#deps.features.having(tenant.organizationId, `network:${network}`, MAX_NEIGHBORS);
      // With several addresses, any of them may have responded.
      const addressOf = new Map(having.flatMap(({ monitor_id, features }) => {
        const addresses = features.map(featureParts).filter(({ kind }) => kind === 'address');
        const [address] = addresses.map(({ value }) => value);
        return addresses.length === 1 && address && !own.includes(address) ? [[monitor_id, address]] : [];
      }));
      if (addressOf.size === 0) continue;
      const ids = [...(await this.#deps.monitors.summaries(tenant, [...addressOf.keys()])).keys()];
      const successes = await this.#deps.lastSuccesses(ids);
      const neighbor = ids.find((id) => (successes.get(id) ?? 0) > failed_at);
      if (neighbor !== undefined) return addressOf.get(neighbor) ?? null;
    }
    return null;
  }
}

/** Whether all regions see the target down, so that other monitors may show why. */
export function isDownEverywhere(regions: readonly RegionExamination[]): boolean {
  return regions.length > 0 && regions.every(({ examination }) => examination.sees === 'down');
}
