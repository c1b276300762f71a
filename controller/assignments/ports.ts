import type { MonitorDoc } from '../monitors/monitor.ts';

export interface MonitorSource {
  /** Monitors of all tenants that name the region or, for a shared region, have an automatic choice. */
  activeOfRegion(region: string, isShared: boolean): AsyncIterable<MonitorDoc>;
}

export interface PlacementMarks {
  /** Marks that monitors for these regions may have no probe. */
  markToPlace(ids: string[]): Promise<void>;
  /**
   * Clears the mark unless it was set again since `seen`. The region's monitors have specs of this version.
   */
  clearToPlace(id: string, seen: number, specVersion: number): Promise<void>;
}

export interface ProbeRemoval {
  /** Removes a deleted probe. */
  purge(id: string): Promise<void>;
}
