import type { GroupMonitors, GroupReaders, GroupRepository, RemovalRepository, TreeRepository } from './ports.ts';

/** What the verbs of groups work with. */
export interface GroupDeps {
  groups: GroupRepository;
  trees: TreeRepository;
  removals: RemovalRepository;
  monitors: GroupMonitors;
  readers: GroupReaders;
}
