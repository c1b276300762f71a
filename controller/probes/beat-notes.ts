import type { Log } from '../../shared/log.ts';
import { OngoingFailure } from '../../shared/ongoing-failure.ts';
import type { Clock } from '../../shared/time.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { BeatNote, ProbeStore } from './store.ts';

const WRITE_INTERVAL_MS = 1000;

interface BeatNotesDeps {
  store: Pick<ProbeStore, 'noteBeats'>;
  clock: Clock;
  log: Log;
}

/** Writes what beats say to the probes' documents, a second's changes at once. */
export class BeatNotes {
  readonly #deps: BeatNotesDeps;
  /** Pending database updates by probe. */
  readonly #pending = new Map<string, BeatNote>();
  readonly #task: PeriodicTask;
  readonly #failure: OngoingFailure;

  constructor(deps: BeatNotesDeps) {
    this.#deps = deps;
    this.#failure = new OngoingFailure({
      clock: deps.clock, log: deps.log, level: 'warn', countField: 'times',
      message: 'could not record beats', recoveredMessage: 'beats are recorded again',
    });
    this.#task = new PeriodicTask({
      clock: deps.clock, intervalMs: WRITE_INTERVAL_MS,
      task: () => this.#write(),
      onError: (error) => this.#failure.record({ err: error }),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  put(note: BeatNote): void {
    this.#pending.set(note.probeId, note);
  }

  /** Writes pending updates. After a failure they stay pending unless a newer one replaced them. */
  async #write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const notes = [...this.#pending.values()];
    this.#pending.clear();
    try {
      await this.#deps.store.noteBeats(notes);
      this.#failure.recovered();
    } catch (error) {
      for (const note of notes) {
        if (!this.#pending.has(note.probeId)) this.#pending.set(note.probeId, note);
      }
      throw error;
    }
  }
}
