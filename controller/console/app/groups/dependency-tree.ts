import type { components } from '../api/openapi.d.ts';

type Group = components['schemas']['Group'];
type Related = NonNullable<Group['dependencies']>[number];

/** A monitor with those it depends on. */
export interface TreeNode {
  monitor: Related;
  children: TreeNode[];
}

/**
 * The monitors of a group, by name, each with what it depends on. What a dependency depends on is in the tree
 * once: the tree would otherwise grow with each way to get there.
 */
export function dependencyTrees({ monitors, dependencies = [] }: Pick<Group, 'monitors' | 'dependencies'>): TreeNode[] {
  const byId = new Map([...monitors, ...dependencies].map((monitor) => [monitor.id, monitor]));
  const expanded = new Set<string>();
  const nodeOf = (monitor: Related, isRoot: boolean): TreeNode => {
    if (!isRoot && expanded.has(monitor.id)) return { monitor, children: [] };
    if (!isRoot) expanded.add(monitor.id);
    const below = (monitor.depends_on ?? []).flatMap((id) => byId.get(id) ?? []);
    return { monitor, children: below.sort(byName).map((one) => nodeOf(one, false)) };
  };
  return [...monitors].sort(byName).map((monitor) => nodeOf(monitor, true));
}

function byName(one: Related, other: Related): number {
  return one.name.localeCompare(other.name, undefined, { numeric: true });
}
