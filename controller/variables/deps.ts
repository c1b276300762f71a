import type { MonitorWriteDeps } from '../monitors/deps.ts';
import type { VariableStore } from './store.ts';

export interface VariableDeps {
  variables: VariableStore;
  monitors: MonitorWriteDeps;
  /** Marks the monitors of changed variables now. Resolves when that is done. */
  onChanged(): Promise<void>;
}
