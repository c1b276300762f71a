import type { GroupDeps } from '../groups/deps.ts';
import type { PageDeps } from '../status-pages/deps.ts';

/** What a document is about: groups with their monitors, and pages. */
export interface ConfigurationDeps extends GroupDeps {
  pages: PageDeps;
}
