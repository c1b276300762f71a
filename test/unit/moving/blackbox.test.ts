import { beforeAll, describe, expect, test } from 'vitest';
import { converted, type Outcome } from './converted.ts';

const PROMETHEUS = `
global: { scrape_interval: 30s }
scrape_configs:
  - job_name: web
    metrics_path: /probe
    params: { module: [page] }
    static_configs:
      - targets: ["https://shop.example", "api.example/health"]
        labels: { team: web }
    relabel_configs:
      - { source_labels: [__address__], target_label: __param_target }
      - { source_labels: [__param_target], target_label: instance }
      - { target_label: __address__, replacement: "127.0.0.1:9115" }
  - { job_name: mail, metrics_path: /probe, scrape_interval: 1m30s, params: { module: [smtp] }, static_configs: [{ targets: ["mail.example:25"] }] }
  - { job_name: names, metrics_path: /probe, params: { module: [dns] }, static_configs: [{ targets: ["9.9.9.9"] }] }
  - { job_name: pings, metrics_path: /probe, params: { module: [ping] }, static_configs: [{ targets: ["192.0.2.1"] }] }
  - { job_name: rpc, metrics_path: /probe, params: { module: [grpc] }, static_configs: [{ targets: ["rpc.example:443"] }] }
  - { job_name: found, metrics_path: /probe, params: { module: [page] }, file_sd_configs: [{ files: [a.json] }] }
  - { job_name: signed, metrics_path: /probe, params: { module: [signed] }, static_configs: [{ targets: ["https://in.example"] }] }
  - { job_name: node, static_configs: [{ targets: ["host.example:9100"] }] }
`;
const MODULES = `
modules:
  page:
    prober: http
    timeout: 5s
    http:
      method: POST
      headers: { X-A: b }
      body: "{}"
      valid_status_codes: [200, 204]
      follow_redirects: false
      preferred_ip_protocol: ip4
      ip_protocol_fallback: false
      tls_config: { insecure_skip_verify: true }
      fail_if_body_not_matches_regexp: ["Wel\\\\.come", "a|b"]
      fail_if_header_matches: [{ header: X-State, regexp: broken }]
  smtp: { prober: tcp, tcp: { query_response: [{ expect: "^220 .*" }, { send: "EHLO x" }, { expect: "^250" }] } }
  dns: { prober: dns, dns: { query_name: shop.example., query_type: MX } }
  ping: { prober: icmp, icmp: { payload_size: 64, ttl: 12 } }
  grpc: { prober: grpc }
  signed: { prober: http, http: { oauth2: {} } }
`;

describe.each([[`${PROMETHEUS}---${MODULES}`], [`${MODULES}\n---${PROMETHEUS}`]])('Prometheus and its exporter in either order', (file) => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await converted('blackbox', file);
  });

  test.each([
    ['https://shop.example', {
      type: 'KEYWORD', target: 'https://shop.example', interval_seconds: 30, timeout_ms: 5000, group: 'web', tags: ['team:web'],
      method: 'POST', headers: { 'X-A': 'b' }, body: '{}', expected_status: [200, 204], follow_redirects: false, ip_family: 'ipv4',
      verify_ssl: false, keywords: [{ text: 'Wel.come', should_contain: true }], case_sensitive: true,
      assertions: [{ source: 'header', property: 'X-State', comparison: 'not_contains', target: 'broken' }],
    }, ['partial', 'The body is not checked for a|b, because keywords are plain texts.']],
    ['api.example/health', { target: 'http://api.example/health' }, [
      'partial', 'The body is not checked for a|b, because keywords are plain texts.',
    ]],
    ['mail.example:25', { type: 'TCP', target: 'mail.example:25', interval_seconds: 90, protocol: 'generic', tls: 'none' }, [
      'partial', 'Its conversation with the server is not checked, only the connection.',
    ]],
    ['9.9.9.9', { type: 'DNS', target: 'shop.example', dns_server: '9.9.9.9', record_entries: [{ type: 'MX' }] }, ['full']],
    ['192.0.2.1', { type: 'ICMP', icmp_config: { packet_size: 64, ttl: 12 }, timeout_ms: 10_000 }, ['full']],
    ['rpc.example:443', null, ['skipped', 'Farwatch has no check like the module grpc.']],
    ['found', null, ['skipped', 'Its targets come from file_sd_configs, and are not in the file.']],
    ['https://in.example', { status: 'paused' }, [
      'partial', 'It is paused, because the credentials of oauth2 are not in the file.',
    ]],
  ])('%s', (name, fields, reported) => {
    if (fields === null) expect(outcome.monitors[name]).toBeUndefined();
    else expect(outcome.monitors[name]).toMatchObject(fields);
    expect(outcome.items[name]).toEqual(reported);
  });

  test('other jobs are no items', () => {
    expect(outcome.counts).toEqual({ full: 2, partial: 4, skipped: 2 });
  });
});

test.each([
  [PROMETHEUS, 'The modules of the Blackbox exporter are missing: append blackbox.yml after a line with ---'],
  [MODULES, 'The scrape_configs of Prometheus are missing: append prometheus.yml after a line with ---'],
])('one of both files is refused', async (file, message) => {
  await expect(converted('blackbox', file)).rejects.toThrow(message);
});
