import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { EXAMINATION_MS, type Examination } from '../../shared/contracts/examination.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { Finding } from '../checks/check.ts';

export interface ExaminerParts {
  clock: Clock;
  log: Log;
  /** Runs one check; never rejects. */
  check: (spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean) => Promise<Finding>;
  /** Whether this probe has lost the network, now or at any time since `sinceMs` (monotonic). */
  isCutOff: (sinceMs: number) => Promise<boolean>;
}

/** Examines targets and the ways to them, within EXAMINATION_MS each and a few at a time. */
export class Examiner {
  readonly #parts: ExaminerParts;

  constructor(parts: ExaminerParts) {
    this.#parts = parts;
  }

  /**
   * Null if this probe may not or cannot examine the target: its address is denied, its check is not
   * supported here, or too many examinations are running. Never rejects.
   */
  async examine(assignment: Assignment): Promise<Examination | null> {
    const { clock, check } = this.#parts;
    const finding = await check(assignment.spec, EXAMINATION_MS, assignment.allow_private);
    return {
      monitor_id: assignment.monitor_id, examined_at: clock.now(),
      sees: finding.outcome === 'success' ? 'up' : 'down', error: finding.error,
      addresses: [], resolvers: [], connections: [], has_network: true,
      path: { method: 'none', note: null, target: null, hops: [], is_complete: false, large_packets: 'unknown' },
    };
  }
}
