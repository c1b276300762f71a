import type { Tenant } from '../accounts/tenant.ts';
import type { AssignmentHistoryEntry } from '../assignments/assignment-doc.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';

/** What evidence needs of monitors. */
export interface MonitorLookup {
  /** The living monitor; null also when it belongs to another tenant. */
  find(tenant: Tenant, id: string): Promise<MonitorDoc | null>;
  /** Of all tenants, deleted ones too, in no particular order. */
  findByIds(ids: string[]): Promise<MonitorDoc[]>;
}

/** What evidence needs of assignments. */
export interface AssignmentLookup {
  /** What there is of these pairs; `gone` when the probe no longer has the monitor. */
  historyOf(pairs: { probeId: string; monitorId: string }[]): Promise<AssignmentHistoryEntry[]>;
}
