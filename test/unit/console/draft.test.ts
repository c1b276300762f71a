import { describe, expect, test } from 'vitest';
import {
  bodyOf, changedPaths, creationBody, draftOf, newDraft,
} from '../../../controller/console/app/editing/draft.ts';
import { FIELDS, PATHS, TYPES } from '../../../controller/console/app/editing/fields.ts';
import { parseStatusText, statusText } from '../../../controller/console/app/editing/typed-text.ts';
import { monitorRules } from '../../../controller/console/monitor-rules.ts';
import { monitorInputs } from '../../../controller/monitors/schema.ts';

const { create, update } = monitorInputs(30);
const filled = {
  HTTP: { target: 'https://shop.example/' }, KEYWORD: { target: 'https://shop.example/' },
  TCP: { target: 'shop.example', 'tcp_config.port': 25 }, ICMP: { target: 'shop.example' },
  DNS: { target: 'shop.example' }, HEARTBEAT: {},
};

describe('monitor form', () => {
  test('has an API rule for each of its fields', () => {
    expect(Object.keys(monitorRules())).toEqual(expect.arrayContaining(PATHS));
    expect(monitorRules()['tcp_config.port']).toEqual({ minimum: 1, maximum: 65_535 });
    expect(monitorRules()['heartbeat_interval']).toEqual({ minimum: 1, maximum: 366 * 86_400, unit: 's' });
    expect(monitorRules()['timeout_ms']).toEqual({ minimum: 1000, maximum: 60_000, unit: 'ms', default: 10_000 });
    expect(monitorRules()['ssl_monitoring.expiry_warning_days']).toEqual({
      minimum: 1, maximum: 365, maxItems: 10, unit: 'days', default: [30, 14, 7, 1],
    });
    expect(monitorRules()['dns_config.record_entries.match']?.enum).toContain('exact');
    expect(monitorRules()['headers']).toEqual({ maxProperties: 50 });
  });

  test('starts with the API\'s defaults', () => {
    const rules = monitorRules();
    const withDefaults = PATHS.filter((path) => rules[path]?.default !== undefined && FIELDS[path].value !== null);
    expect(withDefaults.length).toBeGreaterThan(15);
    const defaultsOf = (valueOf: (path: (typeof PATHS)[number]) => unknown) => withDefaults.map((path) => [path, valueOf(path)]);
    expect(defaultsOf((path) => FIELDS[path].value)).toEqual(defaultsOf((path) => rules[path]?.default));
  });

  test('has every field that the API accepts, once', () => {
    // The API accepts some under several names, and a status only in imports.
    const OTHER_NAMES = /^(http_config|keyword_config\.|record_entries|keywords|match_mode|case_sensitive|port|protocol|tls$|send$|expect$|packet_|ttl|dns_server|resolution_|expected_status_codes)/;
    const paths = Object.keys(monitorRules()).filter((path) => !PATHS.some((own) => own === path || own.startsWith(`${path}.`) || path.startsWith(`${own}.`)));
    expect(paths.filter((path) => path !== 'type' && !OTHER_NAMES.test(path))).toEqual([]);
  });

  test.each(TYPES)('sends what the API accepts for a new monitor, and for a change of everything (%s)', (type) => {
    const draft = {
      ...newDraft(type), name: 'Shop', ...filled[type], 'keyword_config.keywords': [{ text: 'ok', should_contain: true }],
    };
    expect(create.safeParse(creationBody(draft)).error).toBeUndefined();
    const all = PATHS.filter((path) => (FIELDS[path].types as readonly string[]).includes(type));
    expect(update.safeParse(bodyOf(draft, all)).error).toBeUndefined();
  });

  test('sends only changed fields, so that all others stay unchanged', () => {
    const read = {
      type: 'HTTP', name: 'Shop', target: 'https://shop.example/', interval_seconds: 60, timeout_ms: 10_000,
      headers: { authorization: '***' }, auth: { type: 'bearer', token: '***' }, body: '***', tags: ['a'],
      ssl_monitoring: { enabled: true, check_expiry: true, check_validity: false, expiry_warning_days: [7] },
    };
    const before = draftOf(read);
    expect(changedPaths(draftOf(read), before)).toEqual([]);
    const after = { ...before, name: 'Shop ', interval_seconds: 120, 'ssl_monitoring.check_validity': true };
    const changed = changedPaths(after, before);
    expect(changed).toEqual(['interval_seconds', 'ssl_monitoring.check_validity']);
    expect(bodyOf(after, changed)).toEqual({
      interval_seconds: 120, ssl_monitoring: { enabled: true, check_validity: true },
    });
  });

  test('accepts status codes and ranges as people write them', () => {
    expect(parseStatusText('200-299, 304 4xx;nonsense')).toEqual({ codes: [304], ranges: ['200-299', '400-499', 'nonsense'] });
    expect(statusText([304], ['200-299'])).toBe('200-299, 304');
  });
});
