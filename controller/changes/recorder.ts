import type { Log } from '../../shared/log.ts';
import { isDatabaseUnavailable } from '../platform/mongo/mongo-errors.ts';
import type { TargetChangesPort } from '../verdicts/effect.ts';
import type { TargetSighting } from '../verdicts/monitor-state.ts';
import { compareSighting } from './change-rules.ts';
import type { SeenStore } from './seen-store.ts';
import type { ChangeStore } from './store.ts';

export interface RecorderDeps {
  seen: Pick<SeenStore, 'find' | 'save' | 'removeOf'>;
  changes: Pick<ChangeStore, 'add' | 'addRegion'>;
  log: Log;
}

/**
 * Compares sightings with what was seen before and stores each change once: what was seen is stored last, and
 * a repetition after a crash finds the same changes under the same ids.
 */
export class ChangeRecorder implements TargetChangesPort {
  readonly #deps: RecorderDeps;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /**
   * An error other than an unavailable database is ours, and must not hold back the monitor's other effects.
   */
  async record(sighting: TargetSighting): Promise<void> {
    try {
      await this.#record(sighting);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.#deps.log.error({ err: error, monitor: sighting.monitor_id }, 'could not record changes of a target');
    }
  }

  async forget(monitorIds: string[]): Promise<void> {
    await this.#deps.seen.removeOf(monitorIds);
  }

  async #record(sighting: TargetSighting): Promise<void> {
    const { seen, changes } = this.#deps;
    const before = await seen.find(sighting.monitor_id);
    if (before !== null && before.position >= sighting.position) return;
    const compared = compareSighting(before, sighting);
    await changes.add(compared.changes);
    for (const { id, region } of compared.joined) await changes.addRegion(id, region);
    if (compared.seen !== before) await seen.save(compared.seen);
  }
}
