import type { JournaledPing } from '../verdicts/monitor-state.ts';

/** A ping as users see it. A log entry changes nothing, so only this document records it. */
export interface PingRecord extends Pick<JournaledPing, 'exit_code'> {
  _id: string;
  organization_id: string;
  project_id: string;
  monitor_id: string;
  kind: JournaledPing['kind'] | 'log';
  /** When it was received, Unix ms. */
  at: number;
  run_id: string | null;
  /** The address of the sender. */
  source: string;
  /** The start of the request's body; null without any. */
  body: string | null;
}

/** Pings kept per monitor. */
export const MAX_RECORDS = 100;
