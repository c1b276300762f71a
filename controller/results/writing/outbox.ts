import type { MonitorEffect, StatusChange } from '../../verdicts/monitor-state.ts';
import type { StateRecord } from '../state/records.ts';
import type { CertificateStore } from './certificate-store.ts';
import type { StateStore } from './state-store.ts';
import type { AlertsPort, IncidentsPort } from '../../verdicts/effect.ts';

/** Monitors whose effects are carried out concurrently. */
const MAX_CONCURRENT_OUTBOXES = 16;

export interface StatusHistory {
  /** Inserts if absent. */
  add(change: StatusChange): Promise<void>;
}

export interface OutboxPorts {
  states: Pick<StateStore, 'load' | 'find' | 'write' | 'clearOutboxes' | 'remove'>;
  history: StatusHistory;
  incidents: IncidentsPort;
  alerts: AlertsPort;
  certificates: Pick<CertificateStore, 'save' | 'remove'>;
}

/**
 * Writes changed states and carries out their effects: stores the state with its outbox in one write, carries
 * out the effects in order, then empties the outbox. Each step is idempotent, because each effect has its own
 * id.
 */
export async function persistChanges(ports: OutboxPorts, changed: StateRecord[]): Promise<void> {
  if (changed.length === 0) return;
  await ports.states.write(changed);
  await carryOut(ports, changed);
}

/** Carries out stored outboxes, such as those left by a crash. */
export async function carryOut(ports: OutboxPorts, records: StateRecord[]): Promise<void> {
  const full = records.filter((record) => record.outbox.length > 0);
  for (let at = 0; at < full.length; at += MAX_CONCURRENT_OUTBOXES) {
    await Promise.all(
      full.slice(at, at + MAX_CONCURRENT_OUTBOXES).map((record) => carryOutOne(ports, record.outbox)),
    );
  }
  if (full.length > 0) {
    await ports.states.clearOutboxes(full.map(({ monitor_id, position }) => ({ monitor_id, position })));
  }
}

async function carryOutOne(ports: OutboxPorts, outbox: MonitorEffect[]): Promise<void> {
  for (const effect of outbox) {
    if (effect.kind === 'status') await ports.history.add(effect.change);
    else if (effect.kind === 'open') await ports.incidents.open(effect.opening);
    else if (effect.kind === 'resolve') await ports.incidents.resolve(effect.resolution);
    else if (effect.kind === 'alert') await ports.alerts.fanOut(effect.alert);
    else if (effect.kind === 'region') await ports.incidents.regionChanged(effect.change);
    else if (effect.kind === 'votes') await ports.incidents.recordVotes(effect.record);
    else await ports.certificates.save(effect.sighting);
  }
}
