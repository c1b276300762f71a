import { restoring } from '../platform/mongo/null-fields.ts';
import type { MonitorDoc, Share } from './monitor.ts';
import type { TypeSettings } from './settings/registry.ts';

type SettingsOf<T extends keyof TypeSettings> = NonNullable<TypeSettings[T]>;

export const restoreShare = restoring<Share>({ group_id: null });

/** Restores null fields that the database omits. */
export const restoreMonitor = restoring<MonitorDoc>({
  timeout_ms: null, group_id: null, deleted_at: null, ssl_monitoring: null, domain_monitoring: null,
  http: null, keyword: null, tcp: null, dns: null, icmp: null, heartbeat: null,
}, {
  http: restoring<SettingsOf<'http'>>({
    body: null, slow_response_threshold_ms: null, auth: null, expected_status_ranges: null, ip_family: null,
    connect_to: null, assertions: null,
  }),
  tcp: restoring<SettingsOf<'tcp'>>({
    protocol_validation: null, tls: null, send: null, expect: null,
  }),
  dns: restoring<SettingsOf<'dns'>>({ dns_server: null }),
  counted: restoreShare,
});
