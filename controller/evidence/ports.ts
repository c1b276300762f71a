import type { Tenant } from '../access/tenant.ts';
import type { AssignmentHistoryEntry } from '../assignments/assignment-doc.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';

/** What evidence needs of monitors. */
export interface MonitorLookup {
  /** The monitor if it exists and belongs to this tenant; otherwise null. */
  find(tenant: Tenant, id: string): Promise<MonitorDoc | null>;
  /** Monitors of all tenants, including deleted ones, unordered. */
  findByIds(ids: string[]): Promise<MonitorDoc[]>;
}

/** What evidence needs of assignments. */
export interface AssignmentLookup {
  /** The items of these pairs; `gone` if the probe no longer has the monitor. */
  historyOf(pairs: { probeId: string; monitorId: string }[]): Promise<AssignmentHistoryEntry[]>;
}
