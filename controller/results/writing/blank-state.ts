import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { MonitorState, RegionState } from '../../verdicts/monitor-state.ts';

/**
 * All fields of a state and its configuration. Merging documents into them gives all states one hidden class;
 * otherwise each monitor would have its own, about 2 kB. Also the defaults for fields that the database
 * dropped as null.
 */
export const BLANK_CONFIG: MonitorConfig = {
  monitor_id: '', organization_id: '', project_id: '', revision: 0, check_revision: 0, name: '', target: '',
  type: 'HTTP', status: 'active', interval_ms: 0, timeout_ms: 0, retries: 0, recoveries: 0,
  quorum: 'majority',
  slow_response_threshold_ms: null, tls_warning_days: [], tls_validity: false,
  domain_warning_days: [], domain_expires_at: null,
  notification_target_ids: [], depends_on: [], group_id: null, name_server: null, runbook_url: null,
  alert_severity: null, monitoring_regions: [],
  assigned: null, domains: null, heartbeat: null, maintenance: [], changed_at: 0,
};
export const BLANK_STATE: MonitorState = {
  config: BLANK_CONFIG, status: 'unknown', since: 0, regions: {}, witnesses: null, minority_accepted: false,
  outage: null, last_check_at: null,
  last_success_at: null, last_success_ms: null, last_failure_at: null, accounted_until: 0, accounted: {},
  maintained: null, unrolled_day: null, slow: null, flaps: null, domain_warning: null, certificate: null,
  addresses: null, no_data_since: null, maintenance_since: null, withheld: null, late: null,
};
/** The fields of a region that is up. In a parsed document, half of them would be in a second object. */
export const BLANK_REGION: RegionState = {
  verdict: 'unknown', degraded: false, slows: 0, fails: 0, first_fail_at: null, last_at: null,
  response_time_ms: null, status_code: null, error: null, probe_id: null, engine: '', reason: null,
};
