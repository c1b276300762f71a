import type { ownedBy } from '../access/tenant.ts';
import type { RegionState } from '../verdicts/monitor-state.ts';

/** A monitor to diagnose. */
export interface Suspect extends ReturnType<typeof ownedBy> {
  monitor_id: string;
  monitoring_regions: string[];
  assigned?: string[] | null;
  /** The revision of its check that failed; null for the current one. */
  check_revision: number | null;
}

/** A region of a monitor, and the outcome of its latest checks. */
export interface SeenRegion {
  region: string;
  /** The probe that reported last; null if none has. */
  probe_id: string | null;
  /** `failing`: not confirmed yet. */
  is: 'up' | 'failing' | 'down' | 'unknown';
}

export interface ExaminerChoice {
  regions: readonly SeenRegion[];
  /** Where the failure counted; null if somebody requested the diagnosis. */
  failed: string | null;
  /** Of a region that does not have the monitor and may check it; empty if none does. */
  witnesses: readonly string[];
  /** The probe of a region that can examine now; null if none can. Prefers the given one. */
  examinerOf(region: string, preferred: string | null): string | null;
  /** The network of a region's probes; null if it is unknown. */
  networkOf(region: string): string | null;
}

export interface Examiner {
  region: string;
  probe_id: string;
}

export interface ChosenExaminers {
  examiners: Examiner[];
  /** Also asked if all of `examiners` see the target down: it may be up elsewhere. */
  others: Examiner[];
}

const MAX_OTHERS = 6;
/** Worst first, so that a requested diagnosis is about a failure if there is one. */
const ORDER: readonly SeenRegion['is'][] = ['down', 'failing', 'unknown', 'up'];

export function seenRegion(region: string, { verdict, fails, probe_id }: RegionState): SeenRegion {
  return { region, probe_id, is: verdict === 'up' && fails > 0 ? 'failing' : verdict };
}

/**
 * Chooses a probe that sees the failure and one that sees the target up; without the latter, a second one
 * that sees the failure from another network, and a witness. Empty if no probe of the failing region can
 * examine.
 */
export function chooseExaminers(choice: ExaminerChoice): ChosenExaminers {
  const { regions, failed, witnesses, examinerOf, networkOf } = choice;
  const able = regions.flatMap(({ region, probe_id: preferred, is }) => {
    const probe_id = examinerOf(region, preferred);
    return probe_id === null ? [] : [{ region, probe_id, is }];
  }).toSorted((one, other) => ORDER.indexOf(one.is) - ORDER.indexOf(other.is));
  const first = failed === null ? able[0] : able.find(({ region }) => region === failed);
  if (!first) return { examiners: [], others: [] };
  const network = networkOf(first.region);
  const others = able.filter(({ region }) => region !== first.region);
  const isFar = ({ region }: Examiner) => network === null || networkOf(region) !== network;
  const ups = others.filter(({ is }) => is === 'up');
  const up = ups.find(isFar) ?? ups[0];
  const second = others.find((one) => one.is !== 'up' && isFar(one));
  const witness = witnesses.flatMap((region) => {
    const probe_id = examinerOf(region, null);
    return probe_id === null ? [] : [{ region, probe_id }];
  })[0];
  const companions = up ? [up] : [...(second ? [second] : []), ...(witness ? [witness] : [])];
  const chosen = [first, ...companions];
  const rest = others.filter((one) => !companions.includes(one)).toReversed().slice(0, MAX_OTHERS);
  return { examiners: chosen.map(examinerIn), others: rest.map(examinerIn) };
}

const examinerIn = ({ region, probe_id }: Examiner): Examiner => ({ region, probe_id });
