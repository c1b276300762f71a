import type { Assignment, AssignmentDelta } from '../../shared/contracts/assignment.ts';

/** An assignment and the instant (Unix ms) from which this probe answers for it. */
export interface Held {
  assignment: Assignment;
  sinceMs: number;
}

/** What became of a delta, for the one who runs the assignments. */
export interface Applied {
  /** New, resumed or changed: to be checked at once. */
  changed: Held[];
  /** Different in nothing that a check shows (its phase, say). */
  adjusted: Held[];
  gone: string[];
}

/** What this probe should run, under its revision. */
export class AssignmentSet {
  revision: number;
  readonly #held = new Map<string, Held>();

  constructor(revision = 0, held: Iterable<Held> = []) {
    this.revision = revision;
    for (const each of held) this.#held.set(each.assignment.monitor_id, each);
  }

  get size(): number {
    return this.#held.size;
  }

  get(monitorId: string): Held | undefined {
    return this.#held.get(monitorId);
  }

  values(): IterableIterator<Held> {
    return this.#held.values();
  }

  /** Whether `delta` follows on what is held; if not, the holder has to ask what it missed. */
  follows(delta: AssignmentDelta): boolean {
    return delta.reset || delta.from === this.revision;
  }

  /** Takes the changes over, whatever was held before; `nowMs` is when new ones begin. */
  apply(delta: Pick<AssignmentDelta, 'revision' | 'reset' | 'changes'>, nowMs: number): Applied {
    const applied: Applied = { changed: [], adjusted: [], gone: [] };
    const named = new Set<string>();
    for (const change of delta.changes) {
      if ('set' in change) {
        named.add(change.set.monitor_id);
        this.#set(change.set, nowMs, applied);
      } else if (this.#held.delete(change.gone)) {
        applied.gone.push(change.gone);
      }
    }
    if (delta.reset) {
      for (const monitorId of [...this.#held.keys()]) {
        if (named.has(monitorId)) continue;
        this.#held.delete(monitorId);
        applied.gone.push(monitorId);
      }
    }
    this.revision = delta.revision;
    return applied;
  }

  #set(assignment: Assignment, nowMs: number, applied: Applied): void {
    const before = this.#held.get(assignment.monitor_id);
    const isSame = before?.assignment.assignment_rev === assignment.assignment_rev;
    const held = { assignment, sinceMs: isSame ? (before as Held).sinceMs : nowMs };
    this.#held.set(assignment.monitor_id, held);
    (isSame ? applied.adjusted : applied.changed).push(held);
  }
}
