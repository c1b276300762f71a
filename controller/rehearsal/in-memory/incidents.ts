import type { StartedIncident } from '../../causes/cause.ts';
import type { IncidentChange, IncidentDoc } from '../../incidents/incident.ts';

/** Incidents of a rehearsal, in memory. Methods as of the store. */
export class RehearsedIncidents {
  readonly #all = new Map<string, IncidentDoc>();
  readonly #ofCause = new Map<string, IncidentDoc[]>();
  /** Those that may have a cause, in the order in which they opened. */
  readonly #caused: IncidentDoc[] = [];

  async insertIfAbsent(doc: IncidentDoc): Promise<boolean> {
    if (this.#all.has(doc._id)) return false;
    this.#all.set(doc._id, doc);
    if (doc.features !== undefined) this.#caused.push(doc);
    return true;
  }

  async findById(id: string): Promise<IncidentDoc | null> {
    return this.#all.get(id) ?? null;
  }

  async findMany(ids: string[]): Promise<IncidentDoc[]> {
    return ids.flatMap((id) => this.#all.get(id) ?? []);
  }

  async markResolved(id: string, change: IncidentChange): Promise<IncidentDoc | null> {
    return this.#end(id, { ...change, status: 'resolved' });
  }

  async clearUnjournaled(): Promise<void> {}

  async markNotified(): Promise<void> {}

  async setHeldBy(): Promise<void> {}

  async setDiagnosis(): Promise<IncidentDoc[]> {
    return [];
  }

  /** A person acknowledged it, if it was open. */
  acknowledge(id: string, at: number): void {
    const doc = this.#all.get(id);
    if (doc?.status === 'open') Object.assign(doc, { status: 'acknowledged', acknowledged_at: at });
  }

  /** A person ended it, if it had not ended. */
  endByHand(id: string, at: number): IncidentDoc | null {
    return this.#end(id, { status: 'resolved', resolved_at: at, resolved_by: '', updated_at: at });
  }

  async startedBetween(_organizationId: string, from: number, to: number): Promise<StartedIncident[]> {
    const found: StartedIncident[] = [];
    for (let at = this.#caused.length - 1; at >= 0; at -= 1) {
      const { _id: id, project_id, check_id, started_at, created_at, features = [], cause_id = null } =
        this.#caused[at] as IncidentDoc;
      // None begins after it opens.
      if (created_at < from) break;
      if (started_at < from || started_at > to) continue;
      found.push({ id, project_id, monitor_id: check_id ?? '', started_at, features, cause_id });
    }
    return found;
  }

  async setCause(causeId: string, ids: string[]): Promise<void> {
    const members = this.#ofCause.get(causeId) ?? [];
    this.#ofCause.set(causeId, members);
    for (const id of ids) {
      const doc = this.#all.get(id);
      if (!doc || doc.cause_id !== undefined) continue;
      doc.cause_id = causeId;
      members.push(doc);
    }
  }

  async hasOpen(causeId: string): Promise<boolean> {
    return (this.#ofCause.get(causeId) ?? []).some(isOpen);
  }

  async countOpen(causeId: string, limit: number): Promise<number> {
    return Math.min(limit, (this.#ofCause.get(causeId) ?? []).filter(isOpen).length);
  }

  async lastEnd(causeId: string): Promise<number | null> {
    const ends = (this.#ofCause.get(causeId) ?? []).flatMap(({ resolved_at }) => resolved_at ?? []);
    return ends.length === 0 ? null : ends.reduce((last, at) => Math.max(last, at));
  }

  #end(id: string, change: IncidentChange): IncidentDoc | null {
    const doc = this.#all.get(id);
    return doc && isOpen(doc) ? Object.assign(doc, change) : null;
  }
}

function isOpen({ status }: IncidentDoc): boolean {
  return status === 'open' || status === 'acknowledged';
}
