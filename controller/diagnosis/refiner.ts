import type { CheckError } from '../../shared/contracts/result.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Classifier } from './classifier.ts';
import type { DiagnosisDoc } from './diagnosis.ts';
import type { DiagnosisStore } from './store.ts';

/** When an unknown diagnosis is compared with other monitors again, after the failure. Then it is final. */
const REFINED_AFTER_MS = [2000, 5000, 10_000, 20_000, 30_000, 45_000, 60_000];
/** Unknown diagnoses that may still be refined. */
const MAX_REFINED = 1000;

export interface RefinerDeps {
  classifier: Pick<Classifier, 'classify'>;
  diagnoses: Pick<DiagnosisStore, 'refine'>;
  /** Called with each diagnosis of a failure that was stored or refined. */
  onDiagnosed(diagnosis: DiagnosisDoc): Promise<void>;
  clock: Clock;
  log: Log;
}

/** Compares unknown diagnoses with other monitors until these show why the target failed, or for a minute. */
export class Refiner {
  readonly #deps: RefinerDeps;
  readonly #timers = new Set<Timer>();
  #isStopped = false;

  constructor(deps: RefinerDeps) {
    this.#deps = deps;
  }

  /** `error`: the failure that counted; null if somebody requested the diagnosis. */
  add(doc: DiagnosisDoc, error: CheckError | null): void {
    const { clock, log } = this.#deps;
    const elapsedMs = clock.now() - doc.failed_at;
    const nextMs = REFINED_AFTER_MS.find((delayMs) => delayMs > elapsedMs);
    if (nextMs === undefined || this.#isStopped || this.#timers.size >= MAX_REFINED) return;
    const timer = clock.setTimer(nextMs - elapsedMs, () => {
      this.#timers.delete(timer);
      this.#refine(doc, error).catch(
        (failure: unknown) => log.warn({ err: failure, monitor_id: doc.monitor_id }, 'could not refine a diagnosis'),
      );
    });
    this.#timers.add(timer);
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) timer.cancel();
  }

  async #refine(doc: DiagnosisDoc, error: CheckError | null): Promise<void> {
    const { classifier, clock, diagnoses, onDiagnosed } = this.#deps;
    const { verdict, isFinal } = await classifier.classify(doc, error);
    if (!isFinal) return this.add(doc, error);
    const refined = { ...doc, ...verdict, diagnosed_at: clock.now() };
    if (await diagnoses.refine(refined)) await onDiagnosed(refined);
  }
}
