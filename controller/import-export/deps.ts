import type { GroupDeps } from '../groups/deps.ts';
import type { PageDeps } from '../status-pages/deps.ts';

export interface ConfigurationDeps extends GroupDeps {
  pages: PageDeps;
}
