import type { World } from './world.ts';

/** The API's body for a new monitor, without its name. */
export type MonitorBody = Record<string, unknown> & { type: 'HTTP' | 'KEYWORD' | 'TCP' | 'DNS'; target: string };

/** How a fault must be reported. */
export interface Expected {
  event: 'monitor.down' | 'monitor.slow_response' | 'monitor.ssl_expiring';
  /** Of the incident; null for an event that opens none. */
  type: string | null;
  /** Of the failed check; null if no check fails. */
  layer: string | null;
  /** Regions that the incident must name; by default only the first. */
  regions?: 'abroad';
}

/** One fault, the monitor that must report it, and monitors that must stay unaffected. */
export interface Scenario {
  name: string;
  /** Created once the targets are listening. */
  detector: (world: World) => MonitorBody;
  expected: Expected;
  /** By label. They stay up and send no alerts. */
  bystanders?: Record<string, (world: World) => MonitorBody>;
  /** Starts or ends the fault. */
  toggle: (world: World, isOn: boolean) => unknown;
}
