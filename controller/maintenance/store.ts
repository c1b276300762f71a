import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, restoring } from '../platform/mongo/documents.ts';
import { MAX_WINDOWS, type WindowDoc } from './window.ts';

type Identity = '_id' | 'organization_id' | 'project_id' | 'revision' | 'created_by' | 'created_at';
export type WindowChange = Partial<Omit<WindowDoc, Identity | 'due_at'>> & { due_at: number | null };

export class WindowStore extends Documents<WindowDoc> {
  constructor(db: Db) {
    super(db, 'maintenance_windows', [
      // Lists a project's windows.
      { key: { organization_id: 1, project_id: 1, created_at: -1, _id: -1 }, name: 'list' },
      // Finds the windows of monitors whose configuration is journaled.
      { key: { monitor_ids: 1 }, name: 'by_monitor' },
      // Finds due windows.
      { key: { due_at: 1 }, name: 'due', sparse: true },
    ], restoring<WindowDoc>({ description: null, recurrence: null, plan_at: null, deleted_at: null }));
  }

  /** Newest first. Excludes windows that are being deleted. */
  list(tenant: Tenant): Promise<WindowDoc[]> {
    const living = { ...ownedBy(tenant), deleted_at: null };
    return this.select(living).sort({ created_at: -1, _id: -1 }).limit(MAX_WINDOWS).toArray();
  }

  find(tenant: Tenant, id: string): Promise<WindowDoc | null> {
    return this.findOne({ ...ownedBy(tenant), _id: id, deleted_at: null });
  }

  /** True even if the only window is being deleted. */
  async hasAny(tenant: Tenant): Promise<boolean> {
    return (await this.findOne(ownedBy(tenant))) !== null;
  }

  /** The windows of these monitors by monitor, across all tenants. */
  async ofMonitors(ids: string[]): Promise<Map<string, WindowDoc[]>> {
    const byMonitor = new Map<string, WindowDoc[]>();
    if (ids.length === 0) return byMonitor;
    for (const window of await this.select({ monitor_ids: { $in: ids }, deleted_at: null }).toArray()) {
      for (const id of window.monitor_ids) byMonitor.set(id, [...(byMonitor.get(id) ?? []), window]);
    }
    return byMonitor;
  }

  /** Windows that the page shows. */
  ofPage(tenant: Tenant, pageId: string): Promise<WindowDoc[]> {
    const filter = { ...ownedBy(tenant), status_page_ids: pageId, deleted_at: null };
    return this.select(filter).limit(MAX_WINDOWS).toArray();
  }

  /** Windows due by `until`, Unix ms, including those that are being deleted. */
  due(until: number, limit: number): Promise<WindowDoc[]> {
    return this.select({ due_at: { $lte: until } }).sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Null if the window has changed since `seen` was read, or is gone. */
  revise(seen: WindowDoc, { due_at, ...change }: WindowChange): Promise<WindowDoc | null> {
    const { _id, organization_id, project_id, revision } = seen;
    const next = { ...change, revision: revision + 1 };
    return this.change({ _id, organization_id, project_id, revision }, due_at === null
      ? { $set: next, $unset: { due_at: '' } }
      : { $set: { ...next, due_at } });
  }

  /** Does nothing if the window has changed since it was read. */
  async removeIfUnchanged({ _id, organization_id, project_id, revision }: WindowDoc): Promise<void> {
    await this.remove({ _id, organization_id, project_id, revision });
  }
}
