import { isoTime } from '../../shared/time.ts';
import type { ProjectRole } from '../access/tenant.ts';
import { isInMaintenance, type RelatedMonitor, runtimeStatus, shownTarget } from '../monitors/monitor.ts';
import type { GroupView } from './responses.ts';
import type { GroupDoc } from './group.ts';
import { childrenByParent, pathOf } from './tree-rules.ts';
import type { WholeGroup } from './verbs/read-groups.ts';

type ShownState = Pick<GroupView['monitors'][number], 'runtimeStatus' | 'in_maintenance' | 'depends_on'>;

/** `monitorCounts` are by group id and may omit empty groups. */
export function viewGroup(group: GroupDoc, monitorCounts: ReadonlyMap<string, number>): GroupView {
  const { _id: id, organization_id, project_id, name, description } = group;
  const created_at = isoTime(group.created_at);
  return {
    id, organization_id, project_id, created_by: group.created_by ?? undefined,
    managed_by: group.managed_by ?? null,
    name, description: description === '' ? undefined : description,
    parent_group_id: group.parent_group_id ?? undefined, created_at, updated_at: created_at,
    check_count: monitorCounts.get(id) ?? 0, monitors: [], children: [], path: [],
  };
}

/** Conceals the tokens of heartbeats from roles that may not see credentials. */
export function viewWholeGroup(
  { group, all, monitors, dependencies, live, counts }: WholeGroup, role: ProjectRole,
): GroupView {
  const stateOf = ({ _id, status, depends_on }: RelatedMonitor): ShownState => ({
    runtimeStatus: runtimeStatus({ status }, live.get(_id)),
    in_maintenance: isInMaintenance({ status }, live.get(_id)),
    ...(depends_on.length === 0 ? {} : { depends_on }),
  });
  const children = all.filter((each) => each.parent_group_id === group._id);
  return {
    ...viewGroup(group, counts),
    monitors: monitors.map((doc) => {
      const { _id: id, name, type, interval_seconds, status } = doc;
      return {
        id, name, type, target: shownTarget(doc, role), interval_seconds, status, configState: status,
        ...stateOf(doc),
      };
    }),
    ...(dependencies.length === 0 ? {} : {
      dependencies: dependencies.map((doc) => ({ id: doc._id, name: doc.name, ...stateOf(doc) })),
    }),
    children: children.map((child) => viewGroup(child, counts)),
    path: pathOf(all, group._id).map(({ _id: id, name }) => ({ id, name })),
  };
}

/** Top-level groups with all their descendants, in the given order. */
export function viewHierarchy(groups: GroupDoc[], monitorCounts: ReadonlyMap<string, number>): GroupView[] {
  const byParent = childrenByParent(groups);
  const views = new Map(groups.map((group) => [group._id, viewGroup(group, monitorCounts)]));
  const below = (id: string | null) => {
    return (byParent.get(id) ?? []).flatMap((child) => views.get(child._id) ?? []);
  };
  for (const [id, view] of views) view.children = below(id);
  return below(null);
}
