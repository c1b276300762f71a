export interface Outage {
  from: number;
  until: number;
}

/** The ground truth: when each monitor's target is down, Unix ms. */
export class Targets {
  readonly #outages = new Map<string, Outage[]>();

  plan(monitorId: string, outages: Outage[]): void {
    this.#outages.set(monitorId, outages);
  }

  outagesOf(monitorId: string): readonly Outage[] {
    return this.#outages.get(monitorId) ?? [];
  }

  isWorking(monitorId: string, at: number): boolean {
    return !this.outagesOf(monitorId).some((outage) => at >= outage.from && at < outage.until);
  }
}
