import type { FleetDirectory } from './directory.ts';

/** What other domains ask about regions: answered from the directory, read anew only for an id it does not know. */
export class RegionNames {
  readonly #directory: Pick<FleetDirectory, 'region' | 'refresh'>;

  constructor(directory: Pick<FleetDirectory, 'region' | 'refresh'>) {
    this.#directory = directory;
  }

  /** Those of `ids` that are no region this organization may use. */
  async unknownRegions(organizationId: string, ids: string[]): Promise<string[]> {
    if (ids.some((id) => this.#directory.region(id) === null)) await this.#directory.refresh();
    return ids.filter((id) => {
      const region = this.#directory.region(id);
      return !region || (region.organization_id !== null && region.organization_id !== organizationId);
    });
  }

  /** Each region with its name and city, in the order of `ids`; one that is gone has only its id. */
  named(ids: string[]): { id: string; name: string; city: string | null }[] {
    return ids.map((id) => {
      const region = this.#directory.region(id);
      return { id, name: region?.name ?? id, city: region?.city ? region.city : null };
    });
  }

  /** City by region id; a region that is gone or has no city is left out. */
  async cities(ids: string[]): Promise<Map<string, string>> {
    const cities = new Map<string, string>();
    for (const id of ids) {
      const city = this.#directory.region(id)?.city;
      if (city) cities.set(id, city);
    }
    return cities;
  }
}
