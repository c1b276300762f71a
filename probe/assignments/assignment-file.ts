import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { assignment } from '../../shared/contracts/assignment.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { writeFileSafely } from '../storage/write-file-safely.ts';
import { AssignmentSet } from './assignment-set.ts';

const SAVE_AFTER_MS = 500;

const file = z.object({
  v: z.literal(1),
  revision: z.int().min(0),
  held: z.array(z.object({ assignment, sinceMs: z.number() })),
});

/** The assignments on disk, so that a probe that starts without a controller knows what to run. */
export class AssignmentFile {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #timer: Timer | null = null;
  #saving: Promise<void> = Promise.resolve();
  #set: AssignmentSet | null = null;

  constructor(path: string, clock: Clock, log: Log) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log;
  }

  /** What was saved last; an empty set of revision 0 when there is none or it cannot be used. */
  async load(): Promise<AssignmentSet> {
    try {
      const saved = file.parse(JSON.parse(await readFile(this.#path, 'utf8')));
      return new AssignmentSet(saved.revision, saved.held);
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!isMissing) this.#log.warn({ err: (error as Error).message }, 'the saved assignments cannot be used and are asked for anew');
      return new AssignmentSet();
    }
  }

  /** Saves the set soon; changes that come close together are saved once. */
  saveSoon(set: AssignmentSet): void {
    this.#set = set;
    this.#timer ??= this.#clock.setTimer(SAVE_AFTER_MS, () => void this.flush());
  }

  /** Saves now what `saveSoon` still holds back. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    const set = this.#set;
    this.#set = null;
    if (set) this.#saving = this.#saving.then(() => this.#save(set));
    await this.#saving;
  }

  async #save(set: AssignmentSet): Promise<void> {
    try {
      await writeFileSafely(this.#path, JSON.stringify({ v: 1, revision: set.revision, held: [...set.values()] }));
    } catch (error) {
      this.#log.error({ err: (error as Error).message }, 'the assignments could not be saved');
    }
  }
}
