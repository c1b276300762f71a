export interface Outage {
  from: number;
  until: number;
}

/** What is really so: when each monitor's target does not work. Unix ms. */
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
