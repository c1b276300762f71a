import type { World } from './world.ts';

/** What the API takes for a new monitor, without its name. */
export type MonitorBody = Record<string, unknown> & { type: 'HTTP' | 'KEYWORD' | 'TCP' | 'DNS'; target: string };

/** How a fault has to be reported. */
export interface Expected {
  event: 'monitor.down' | 'monitor.slow_response' | 'monitor.ssl_expiring';
  /** Of the incident; null for an event that opens none. */
  type: string | null;
  /** Of the failed check; null if no check fails. */
  layer: string | null;
  /** Regions that the incident has to name; by default the first one alone. */
  regions?: 'abroad';
}

/** One fault, the monitor that has to report it, and monitors that must not mind. */
export interface Scenario {
  name: string;
  /** Built once the targets listen. */
  detector: (world: World) => MonitorBody;
  expected: Expected;
  /** By a word for what each is. They stay up and alert nobody. */
  bystanders?: Record<string, (world: World) => MonitorBody>;
  /** Begins or ends the fault. */
  toggle: (world: World, isOn: boolean) => unknown;
}
