import type { Tenant } from '../accounts/tenant.ts';
import type { ProjectContext } from '../http/route.ts';
import type { MonitorLive } from '../results/reading/live.ts';
import type { MonitorPeriods } from '../results/reading/periods.ts';
import type { GroupDoc, GroupEdge } from './group.ts';

export type GroupText = Partial<Pick<GroupDoc, 'name' | 'description'>>;

/** The collection, as the verbs use it. Reads do not see groups that have no place in the tree yet. */
export interface GroupRepository {
  /** Throws DUPLICATE_NAME. A group that a crash left without a place gives its name up. */
  insert(doc: GroupDoc): Promise<void>;
  /** Null also when it belongs to somebody else. */
  find(tenant: Tenant, id: string): Promise<GroupDoc | null>;
  /** One page, newest first, and how many there are on all pages. */
  list(tenant: Tenant, skip: number, limit: number): Promise<{ groups: GroupDoc[]; total: number }>;
  /** All of the project, in order of their names' code points. */
  all(tenant: Tenant): Promise<GroupDoc[]>;
  edges(tenant: Tenant): Promise<GroupEdge[]>;
  count(tenant: Tenant): Promise<number>;
  /** Changes what has nothing to do with the tree; null when the group is gone. Throws DUPLICATE_NAME. */
  rename(tenant: Tenant, id: string, text: GroupText): Promise<GroupDoc | null>;
  /** Takes a group without a place away again. */
  discard(tenant: Tenant, id: string): Promise<void>;
  /** Carries a placement out, unless a later revision of the tree has moved the group. False: its name is taken, and nothing moved. */
  place(tenant: Tenant, step: PlaceStep, revision: number): Promise<boolean>;
  /** Gives the children of a group to its parent and deletes it. */
  remove(tenant: Tenant, step: RemoveStep, revision: number): Promise<void>;
}

export interface PlaceStep extends GroupText {
  kind: 'place';
  group_id: string;
  parent_group_id: string | null;
}

export interface RemoveStep {
  kind: 'remove';
  group_id: string;
  /** Gets its children and monitors; null is the top, and no group. */
  to: string | null;
}

/** One change of who stands under whom. */
export type TreeStep = PlaceStep | RemoveStep;

/** A project's tree: its revision, and the step that made it where that may not be carried out wholly. */
export interface Tree {
  revision: number;
  step: TreeStep | null;
}

/**
 * Orders the changes of each project's tree on a database without transactions: whoever raises the revision has decided
 * on the tree as it is, and leaves its step there for anybody to finish. No other change is decided before that.
 */
export interface TreeRepository {
  read(tenant: Tenant): Promise<Tree>;
  /** Raises `revision` by one and leaves `step`. False: somebody else did, or a step is unfinished. */
  claim(tenant: Tenant, revision: number, step: TreeStep): Promise<boolean>;
  /** The step of `revision` is carried out. */
  finish(tenant: Tenant, revision: number): Promise<void>;
}

/**
 * Deleted groups whose monitors may not all have moved on. Each is cleared twice: at once, and when nobody can be at work any more
 * who saw the group before it went.
 */
export interface RemovalRepository {
  /** Inserts if absent. */
  add(tenant: Tenant, step: RemoveStep): Promise<void>;
  /** Those that are to be cleared now. */
  list(tenant: Tenant, now: number): Promise<RemoveStep[]>;
  /** Tenants that have any of these. */
  tenants(now: number): Promise<Tenant[]>;
  /** It is cleared, for the first or the last time. */
  done(tenant: Tenant, groupId: string, now: number): Promise<void>;
  /** What each of these groups passed its monitors on to, null: to none; without those that were cleared for the last time. */
  targets(tenant: Tenant, groupIds: string[]): Promise<Map<string, string | null>>;
}

/** What groups do to their monitors; each names the group that a monitor must still be in. */
export type MemberChange = { kind: 'pause' } | { kind: 'resume' } | { kind: 'delete' } | { kind: 'move'; to: string | null };

export interface GroupMember {
  id: string;
  name: string;
  type: 'HTTP' | 'KEYWORD' | 'ICMP' | 'TCP' | 'DNS' | 'HEARTBEAT';
  target: string;
  interval_seconds: number;
  status: 'active' | 'paused' | 'disabled';
  group_id: string;
}

/** Whose groups, and when. */
export type Moment = Pick<ProjectContext, 'tenant' | 'now'>;

/** What groups ask of the monitors, all of them living. */
export interface GroupMonitors {
  /** Exact; groups without monitors are left out. */
  counts(tenant: Tenant, groupIds: string[]): Promise<Map<string, number>>;
  /** Monitors of a group, or of all groups of the project (null), behind `after` in order of id. */
  page(tenant: Tenant, groupId: string | null, after: string, limit: number): Promise<GroupMember[]>;
  /** Changes those of the group, conditional on what each is; the ids of those that changed. */
  changeAll(ctx: Moment, groupId: string, change: MemberChange): Promise<string[]>;
  /** Puts these monitors into the group; the ids of those that changed. Throws VALIDATION_ERROR (`monitor_ids`), before any is moved, when one is not there. */
  assign(ctx: Moment, monitorIds: string[], groupId: string): Promise<string[]>;
}

export interface GroupReaders {
  states(monitorIds: string[]): Promise<Map<string, MonitorLive>>;
  /** Each over the clock hours that the last so many `hours` touch; monitors that nobody has heard of are left out. */
  periods(monitorIds: string[], hours: readonly number[]): Promise<Map<string, MonitorPeriods>>;
}
