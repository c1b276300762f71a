import type { MonitorDoc } from '../monitors/monitor.ts';

export interface MonitorSource {
  /** Monitors of all tenants that name the region or, for a shared one, leave the choice to us. */
  activeOfRegion(region: string, isShared: boolean): AsyncIterable<MonitorDoc>;
}

export interface PlacementMarks {
  /** Notes that monitors which want these regions may have no probe. */
  markToPlace(ids: string[]): Promise<void>;
  /** Withdraws that note unless it was made again since `seen`. Its monitors have specs of this version. */
  clearToPlace(id: string, seen: number, specVersion: number): Promise<void>;
}

export interface ProbeRemoval {
  /** Removes a deleted probe. */
  purge(id: string): Promise<void>;
}
