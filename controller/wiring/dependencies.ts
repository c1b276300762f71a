import { couldBeDown } from '../dependencies/dependency-rules.ts';
import { DependencyGate } from '../dependencies/gate.ts';
import { HeldAlerts } from '../dependencies/held-alerts.ts';
import { toMonitorConfig } from '../monitors/settings/registry.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { ResultsService } from '../results/service.ts';
import type { Fleet } from './fleet.ts';
import type { Incidents } from './incidents.ts';
import type { Notifications } from './notifications.ts';
import type { ControllerPorts } from './ports.ts';

interface DependencySources {
  fleet: Fleet;
  incidents: Incidents;
  notifications: Notifications;
  results: ResultsService<MonitorDoc>;
}

/** Where the alerts of monitors arrive. */
export function openGate(ports: ControllerPorts, { alerts }: Notifications): DependencyGate {
  const { stores: { heldAlerts: held }, signals, shardMap, clock } = ports;
  return new DependencyGate({ alerts, held, onHeld: signals.alertsHeld.emit, shardMap, clock });
}

/** Decides what becomes of the alerts that the gate holds. */
export function openHeldAlerts(ports: ControllerPorts, sources: DependencySources): HeldAlerts {
  const { stores, signals, ownsShard, shardMap, peers, clock, log } = ports;
  const { fleet: { runNow, confirmations }, incidents, notifications, results } = sources;
  const service = new HeldAlerts({
    held: stores.heldAlerts, alerts: notifications.alerts, ownsShard, shardMap, peers, clock, log,
    incidents: { findById: (id) => stores.incidents.findById(id), setHeldBy: incidents.setHeldBy },
    monitors: (ids) => stores.monitors.related(ids),
    states: (ids) => results.readers.unwritten.states(ids),
    check: async (id) => {
      const [monitor] = await stores.monitors.findByIds([id]);
      const isChecked = monitor?.deleted_at === null && monitor.status === 'active' && monitor.type !== 'HEARTBEAT';
      if (!isChecked) return false;
      const [assigned, runs] = await Promise.all([runNow.assignedOf(monitor), runNow.run(monitor, true)]);
      return couldBeDown({ ...toMonitorConfig(monitor), ...assigned }, runs);
    },
    recheck: (id, probeIds) => confirmations.request(id, probeIds),
  });
  signals.alertsHeld.on(() => service.trigger());
  return service;
}
