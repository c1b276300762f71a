import { derivedId } from '../../shared/ids.ts';
import { FEATURE_KINDS, featureParts, type Feature } from '../verdicts/features/feature-rules.ts';
import type { StartedIncident, CauseDecision } from './cause.ts';

/** Incidents with a common cause begin within this time. */
export const CAUSE_WINDOW_MS = 90_000;
/** Monitors that must fail, at least. */
export const MIN_MONITORS = 3;
/** Of the monitors that have a feature, the share that must fail. */
const MIN_SHARE = 0.8;
/** A region or group tells nothing if this share of all other monitors fail too. */
const MAX_SHARE_OF_OTHERS = 0.5;

/** Monitors of the organization: how many have a feature, and how many there are. */
export interface Population {
  having: ReadonlyMap<string, number>;
  total: number;
}

/** Whether monitors without the feature matter, because nearly all may have it. */
export function isCommon(feature: string): boolean {
  return ['region', 'group'].includes(featureParts(feature).kind);
}

/**
 * Decides which incidents have a common cause. Features are considered in the order of their kinds; incidents
 * that have a cause keep it. Others join an open cause with a feature of theirs if a chain of such incidents,
 * each within 90 s of the next, connects them. The result depends on nothing else, not even on the order of
 * `incidents`. `openCauses`: by id, the feature of each open cause.
 */
export function decideCauses(
  organizationId: string, incidents: readonly StartedIncident[], openCauses: ReadonlyMap<string, string>,
  population: Population,
): CauseDecision[] {
  const all = incidents.toSorted(byBegin);
  const decided = new Map(all.flatMap(({ id, cause_id }) => (cause_id === null ? [] : [[id, cause_id]])));
  const decisions: CauseDecision[] = [];
  for (const feature of featuresInOrder(all)) {
    const having = all.filter(({ features }) => features.includes(feature));
    const causeOf = ({ id }: StartedIncident) => decided.get(id);
    const relevant = having.filter((one) => {
      const cause = causeOf(one);
      return cause === undefined || openCauses.get(cause) === feature;
    });
    for (const chain of chainsOf(relevant)) {
      const fresh = chain.filter((one) => causeOf(one) === undefined);
      if (fresh.length === 0) continue;
      const open = chain.map(causeOf).find((cause) => cause !== undefined);
      const isCause = open !== undefined || isShared(feature, { chain, having, all }, population);
      if (!isCause) continue;
      const first = fresh[0] as StartedIncident;
      const cause_id = open ?? derivedId('cause', organizationId, feature, first.id);
      for (const { id } of fresh) decided.set(id, cause_id);
      decisions.push({ cause_id, feature, incident_ids: fresh.map(({ id }) => id) });
    }
  }
  return decisions;
}

/** How far monitors must be counted to decide about incidents. */
interface CountLimits {
  /** Those that enough monitors fail with to be decided about. */
  features: Feature[];
  /** Of so many monitors with the feature, or more, too small a share would fail for a common cause. */
  havingLimit(feature: string): number;
  /**
   * With so many monitors, or more, too few of those without a feature fail to matter; null if they never do.
   */
  totalLimit(having: Population['having']): number | null;
}

export function countLimits(incidents: readonly StartedIncident[]): CountLimits {
  const monitors = new Map<string, Set<string>>();
  for (const { features, monitor_id } of incidents) {
    for (const feature of features) {
      const failing = monitors.get(feature) ?? new Set();
      monitors.set(feature, failing.add(monitor_id));
    }
  }
  const features = [...monitors]
    .flatMap(([feature, { size }]) => (size < MIN_MONITORS ? [] : [feature as Feature]));
  return {
    features,
    havingLimit: (feature) => Math.ceil((monitors.get(feature)?.size ?? 0) / MIN_SHARE) + 1,
    totalLimit: (having) => {
      const common = features.filter(isCommon);
      if (common.length === 0) return null;
      const failing = new Set(incidents.map(({ monitor_id }) => monitor_id)).size;
      const most = Math.max(...common.map((feature) => having.get(feature) ?? 0));
      return most + Math.floor(failing / MAX_SHARE_OF_OTHERS) + 1;
    },
  };
}

function featuresInOrder(incidents: readonly StartedIncident[]): Feature[] {
  const rank = (feature: string) => FEATURE_KINDS.indexOf(featureParts(feature).kind);
  const features = [...new Set(incidents.flatMap(({ features: own }) => own))] as Feature[];
  return features.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

/** Splits incidents, in the order in which they began, where nothing began for longer than the window. */
function chainsOf(incidents: readonly StartedIncident[]): StartedIncident[][] {
  const chains: StartedIncident[][] = [];
  for (const incident of incidents) {
    const chain = chains.at(-1);
    const last = chain?.at(-1);
    const isNext = last !== undefined && incident.started_at - last.started_at <= CAUSE_WINDOW_MS;
    if (isNext) chain?.push(incident);
    else chains.push([incident]);
  }
  return chains;
}

interface Failing {
  chain: readonly StartedIncident[];
  /** All incidents with the feature, whatever their cause. */
  having: readonly StartedIncident[];
  all: readonly StartedIncident[];
}

/** Whether within some window most monitors with the feature fail. */
function isShared(feature: string, { chain, having, all }: Failing, population: Population): boolean {
  const count = population.having.get(feature);
  if (count === undefined) return false;
  const others = population.total - count;
  const [fresh, failing] = [new MonitorsInWindow(chain), new MonitorsInWindow(having)];
  const without = isCommon(feature) ? all.filter(({ features }) => !features.includes(feature)) : [];
  const failingOthers = new MonitorsInWindow(without);
  return chain.some(({ started_at: from }) => {
    const isEnough = fresh.countFrom(from) >= MIN_MONITORS && failing.countFrom(from) >= MIN_SHARE * count;
    const otherCount = failingOthers.countFrom(from);
    return isEnough && (!isCommon(feature) || otherCount < MAX_SHARE_OF_OTHERS * others);
  });
}

/** Counts the monitors of incidents that began within the window, from instants that only increase. */
class MonitorsInWindow {
  readonly #incidents: readonly StartedIncident[];
  readonly #counts = new Map<string, number>();
  #first = 0;
  #end = 0;

  /** In the order in which they began. */
  constructor(incidents: readonly StartedIncident[]) {
    this.#incidents = incidents;
  }

  countFrom(from: number): number {
    const begin = (at: number) => this.#incidents[at]?.started_at ?? Infinity;
    for (; begin(this.#end) <= from + CAUSE_WINDOW_MS; this.#end += 1) this.#add(this.#end, 1);
    for (; begin(this.#first) < from; this.#first += 1) this.#add(this.#first, -1);
    return this.#counts.size;
  }

  #add(at: number, by: 1 | -1): void {
    const { monitor_id: id } = this.#incidents[at] as StartedIncident;
    const count = (this.#counts.get(id) ?? 0) + by;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }
}

function byBegin(one: StartedIncident, other: StartedIncident): number {
  return one.started_at - other.started_at || (one.id < other.id ? -1 : 1);
}
