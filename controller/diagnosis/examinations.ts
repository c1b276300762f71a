import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { Examination } from '../../shared/contracts/examination.ts';
import { isDownEverywhere } from './classifier.ts';
import type { RegionExamination } from './diagnosis.ts';
import type { ChosenExaminers, Examiner } from './examiner-rules.ts';

export interface ExaminerPort {
  /** Null if the probe does not respond in time. */
  examine(region: string, probeId: string, assignment: Assignment): Promise<Examination | null>;
}

/** Has probes examine targets, and counts the requests and those without a response. */
export class Examinations {
  readonly #examiners: ExaminerPort;
  readonly #counts: { requested: number; failed: number };

  constructor(examiners: ExaminerPort, counts: { requested: number; failed: number }) {
    this.#examiners = examiners;
    this.#counts = counts;
  }

  /** Omits probes that do not respond in time. */
  async from(
    { examiners, others }: ChosenExaminers, assignment: Assignment,
  ): Promise<RegionExamination[]> {
    // The examination of a check that must fail says nothing about why it succeeds.
    if ('is_inverted' in assignment.spec) return [];
    const regions = await this.#examineFrom(examiners, assignment);
    return isDownEverywhere(regions) ? [...regions, ...await this.#examineFrom(others, assignment)] : regions;
  }

  async #examineFrom(examiners: readonly Examiner[], assignment: Assignment): Promise<RegionExamination[]> {
    const found = await Promise.all(examiners.map(async (one) => {
      this.#counts.requested += 1;
      const examination = await this.#examiners.examine(one.region, one.probe_id, assignment);
      if (examination === null) this.#counts.failed += 1;
      return examination ? [{ ...one, examination }] : [];
    }));
    return found.flat();
  }
}
