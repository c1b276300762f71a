import type { Assignment, AssignmentDelta } from '../../shared/contracts/assignment.ts';
import { Compactor } from './compactor.ts';

/** An assignment and the time (Unix ms) since which this probe is responsible for it. */
export interface HeldAssignment {
  assignment: Assignment;
  sinceMs: number;
}

/** The effects of a delta, for the runner and scheduler. */
export interface AppliedDelta {
  /** New, resumed or changed; checked immediately. */
  changed: HeldAssignment[];
  /** Changed in a way that doesn't affect the check's result, such as its phase. */
  adjusted: HeldAssignment[];
  gone: string[];
}

/** The probe's assignments and their revision. */
export class AssignmentSet {
  revision: number;
  readonly #held = new Map<string, HeldAssignment>();
  readonly #compactor = new Compactor();

  constructor(revision = 0, held: Iterable<HeldAssignment> = []) {
    this.revision = revision;
    for (const each of held) this.#held.set(each.assignment.monitor_id, each);
  }

  get size(): number {
    return this.#held.size;
  }

  get(monitorId: string): HeldAssignment | undefined {
    return this.#held.get(monitorId);
  }

  values(): IterableIterator<HeldAssignment> {
    return this.#held.values();
  }

  /** Whether `delta` applies to the current revision; if not, the probe must request what it missed. */
  follows(delta: AssignmentDelta): boolean {
    return delta.reset || delta.from === this.revision;
  }

  /** Applies the changes regardless of the current revision; new assignments start at `nowMs`. */
  apply(delta: Pick<AssignmentDelta, 'revision' | 'reset' | 'changes'>, nowMs: number): AppliedDelta {
    const applied: AppliedDelta = { changed: [], adjusted: [], gone: [] };
    // A paged response may contain a monitor twice; the last entry wins.
    const last =
      new Map(delta.changes.map((change) => ['set' in change ? change.set.monitor_id : change.gone, change]));
    for (const [monitorId, change] of last) {
      if ('set' in change) this.#set(change.set, nowMs, applied);
      else this.#drop(monitorId, applied);
    }
    if (delta.reset) {
      for (const monitorId of [...this.#held.keys()]) {
        if (!last.has(monitorId)) this.#drop(monitorId, applied);
      }
    }
    this.revision = delta.revision;
    return applied;
  }

  #drop(monitorId: string, applied: AppliedDelta): void {
    if (this.#held.delete(monitorId)) applied.gone.push(monitorId);
  }

  #set(assignment: Assignment, nowMs: number, applied: AppliedDelta): void {
    const before = this.#held.get(assignment.monitor_id);
    const isSame = before?.assignment.assignment_rev === assignment.assignment_rev;
    const held = {
      assignment: this.#compactor.compact(assignment),
      sinceMs: isSame ? (before as HeldAssignment).sinceMs : nowMs,
    };
    this.#held.set(assignment.monitor_id, held);
    (isSame ? applied.adjusted : applied.changed).push(held);
  }
}
