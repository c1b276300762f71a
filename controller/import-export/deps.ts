import type { DestinationDeps } from '../destinations/verbs.ts';
import type { GroupDeps } from '../groups/deps.ts';
import type { MaintenanceDeps } from '../maintenance/deps.ts';
import type { PageDeps } from '../status-pages/deps.ts';
import type { VariableDeps } from '../variables/verbs/using-monitors.ts';
import type { ImportTurns } from './import-turns.ts';

export interface ConfigurationDeps extends GroupDeps {
  destinations: DestinationDeps;
  maintenance: MaintenanceDeps;
  pages: PageDeps;
  variables: VariableDeps;
  imports: ImportTurns;
}
