import type { RuntimeStatus, Severity } from '../../verdicts/monitor-config.ts';
import type { ErrorType } from '../../../shared/contracts/result.ts';

/** A monitor as its shard's owner knows it. Instants are Unix ms. */
export interface MonitorLive {
  status: RuntimeStatus;
  since: number;
  last_check_at: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
  /** Of a heartbeat: the latest ping that told how a job ended. */
  last_heartbeat_at?: number | null | undefined;
  /** Of the outage, else of the slow stretch. `failure_count`: results that failed in it so far; an owner of an earlier version does not tell. */
  open_incident: { id: string; started_at: number; severity: Severity; type: ErrorType; failure_count?: number | undefined } | null;
  regions: RegionLive[];
}

/** The verdict of one region beside the global one. `reason`: why it is not up. */
export interface RegionLive {
  region: string;
  status: RuntimeStatus;
  reason: string | null;
  last_check_at: number | null;
  response_time_ms: number | null;
  probe_id: string | null;
}

export interface LiveReader {
  /** State by the shards' owners; a monitor nobody has heard of is not in the map. Never older than 2 s while owners answer. */
  states(monitorIds: string[]): Promise<Map<string, MonitorLive>>;
}
