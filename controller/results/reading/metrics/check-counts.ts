import { OUTCOMES, type CheckResult } from '../../../../shared/contracts/result.ts';
import { grown } from './monitor-slots.ts';

/** Checks of a monitor in one region. */
export type RegionCounts = Record<CheckResult['outcome'], number>;

const NO_COUNTS: RegionCounts = Object.freeze({ success: 0, failure: 0, missed: 0 });

/** Checks by region and outcome, in 12 bytes per monitor and region. */
export class CheckCounts {
  readonly #regions = new Map<string, Uint32Array>();

  add(slot: number, region: string, { outcome, missed }: Pick<CheckResult, 'outcome' | 'missed'>): void {
    const place = slot * OUTCOMES.length + OUTCOMES.indexOf(outcome);
    const counts = grown(this.#regions.get(region) ?? new Uint32Array(0), (slot + 1) * OUTCOMES.length);
    this.#regions.set(region, counts);
    (counts[place] as number) += missed?.count ?? 1;
  }

  of(slot: number, region: string): RegionCounts {
    const counts = this.#regions.get(region);
    const place = slot * OUTCOMES.length;
    if (counts === undefined || place >= counts.length) return NO_COUNTS;
    const [success, failure, missed] = [counts[place], counts[place + 1], counts[place + 2]] as number[];
    return { success, failure, missed } as RegionCounts;
  }

  clear(slot: number): void {
    const place = slot * OUTCOMES.length;
    for (const counts of this.#regions.values()) counts.fill(0, place, place + OUTCOMES.length);
  }
}
