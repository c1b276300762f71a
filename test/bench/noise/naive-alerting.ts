import type { Found } from '../virtual-probe.ts';

interface NaiveOptions {
  isWorking: (monitorId: string) => boolean;
  /** Called on a first failure; returns true to alert. */
  confirms: (monitorId: string, region: string) => boolean;
}

/**
 * Alerts when a slot fails and its monitor is not known to be down, if `confirms` agrees. The next success in any
 * region ends the outage.
 */
export class NaiveAlerting {
  /** Alerts for working targets. */
  falseAlerts = 0;
  /** Of these, alerts caused by a region without network. */
  falseByLoss = 0;
  readonly #options: NaiveOptions;
  readonly #down = new Set<string>();

  constructor(options: NaiveOptions) {
    this.#options = options;
  }

  record(monitorId: string, region: string, found: Found): void {
    const { isWorking, confirms } = this.#options;
    if (found === 'success') this.#down.delete(monitorId);
    else if (!this.#down.has(monitorId) && confirms(monitorId, region)) {
      this.#down.add(monitorId);
      if (!isWorking(monitorId)) return;
      if (found === 'lost') this.falseByLoss += 1;
      else this.falseAlerts += 1;
    }
  }
}
