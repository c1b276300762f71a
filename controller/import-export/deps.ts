import type { MonitorDeps } from '../monitors/deps.ts';
import type { ConfigurationGroups } from './ports.ts';

/** What the verbs of documents work with. */
export interface ConfigurationDeps {
  groups: ConfigurationGroups;
  monitors: MonitorDeps;
}
