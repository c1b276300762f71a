import type { Log } from '../../shared/log.ts';
import { isDatabaseUnavailable } from '../platform/mongo/mongo-errors.ts';
import type { TargetChangesPort } from '../verdicts/effect.ts';
import type { TargetSighting } from '../verdicts/monitor-state.ts';
import { compareSighting } from './change-rules.ts';
import type { ChangeStore, SeenStore } from './store.ts';

export interface RecorderDeps {
  seen: Pick<SeenStore, 'find' | 'save' | 'removeOf'>;
  changes: Pick<ChangeStore, 'add' | 'addRegion'>;
  log: Log;
}

/**
 * Compares sightings with the known values and stores each change once: the known values are stored last, and
 * a repetition after a crash finds the same changes with the same ids.
 */
export class ChangeRecorder implements TargetChangesPort {
  readonly #deps: RecorderDeps;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /**
   * Any error except an unavailable database is a bug, which must not block the monitor's other effects.
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
