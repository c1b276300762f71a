import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../controller/errors/app-error.ts';
import { CHECK_TYPES, toCheckSpec } from '../../../controller/monitors/settings/registry.ts';
import type { MonitorDoc } from '../../../controller/monitors/monitor.ts';
import { monitorInputs } from '../../../controller/monitors/schema.ts';
import { settable } from '../../../controller/monitors/settable.ts';
import { reverseName } from '../../../controller/monitors/target.ts';
import { viewMonitor } from '../../../controller/monitors/views.ts';
import { validate } from '../../../controller/http/input/validation.ts';
import { checkSpec, TCP_PROTOCOLS } from '../../../shared/contracts/check-spec.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

type Body = Record<string, unknown>;
const MIN = 30;
const inputs = monitorInputs(MIN);

/** The monitor that this body creates. */
function created(body: Body): MonitorDoc {
  const input = validate(inputs.create, { name: 'M', interval_seconds: 60, ...body }) as never;
  const id = '0199f0a2-7c11-7d3e-8a55-3f1f0c9b2a10';
  return {
    _id: id, organization_id: id, project_id: id, created_by: id, type: (body['type'] ??
      'HTTP') as MonitorDoc['type'], status: 'active', deleted_at: null,
    revision: 1, check_revision: 1, search_text: '', created_at: 1, updated_at: 1,
    ...settable(input, null, input, MIN),
  };
}

/** The monitor after an update with this body. */
function changed(doc: MonitorDoc, body: Body): MonitorDoc {
  return { ...doc, ...settable(validate(inputs.update, body) as never, doc, doc, MIN) };
}

function refusal(act: () => unknown): string {
  try {
    act();
    return 'taken';
  } catch (error) {
    if (error instanceof AppError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const MINIMAL: Record<string, Body> = {
  HTTP: { type: 'HTTP', target: 'https://shop.example/' },
  KEYWORD: {
    type: 'KEYWORD', target: 'https://shop.example/', keyword_config: { keywords: [{ text: 'In stock' }] },
  },
  TCP: { type: 'TCP', target: 'mail.example', tcp_config: { port: 25 } },
  DNS: { type: 'DNS', target: 'shop.example', dns_config: { record_entries: [{ type: 'A' }] } },
  ICMP: { type: 'ICMP', target: 'shop.example' },
  HEARTBEAT: { type: 'HEARTBEAT', heartbeat_interval: 600, grace_period: 60, interval_seconds: undefined },
};
const of = (type: string, change: Body = {}): MonitorDoc => created({ ...MINIMAL[type], ...change });

test.each(['HTTP', 'KEYWORD', 'TCP', 'DNS', 'ICMP'])('a monitor of type %s can be inverted', (type) => {
  const spec = checkSpec.parse(toCheckSpec(of(type, { is_inverted: true })));
  expect(spec).toMatchObject({ type, is_inverted: true });
  expect(spec).not.toHaveProperty('unreadable');
  expect(toCheckSpec(of(type))).not.toHaveProperty('is_inverted');
});

describe('a target', () => {
  const hosts = [
    'example.org', 'Example.ORG', 'localhost', 'intranet', 'a_b.example', '_dmarc.example.org',
    'example.org.', 'münchen.example', '例え.jp', '127.0.0.1', '::1',
    '2001:db8::1', `${'a'.repeat(63)}.example`, '1.example', '10.0.0.256.example',
  ];
  test.each(hosts)('%s is accepted as a host', (target) => {
    for (const type of ['TCP', 'ICMP']) expect(refusal(() => of(type, { target })), type).toBe('taken');
  });
  const usual = 'Target must be a host name, or an IP address in its usual form';
  const neither = 'Target must be a host name or an IP address';
  test.each([
    ['https://example.org', `${neither}, not a URL`], [
      'example.org/', `${neither}, not a URL`,
    ], ['u@example.org', 'Target must not contain a username or password'],
    [
      'a b', 'Target must not contain white space, control or invisible characters',
    ], ['a\nb', 'Target must not contain white space, control or invisible characters'],
    [
      'a\u00adb.example', 'Target must not contain white space, control or invisible characters',
    ], ['a\u200bb.example', 'Target must not contain white space, control or invisible characters'],
    ['127.1', usual], ['0x7f.1', usual], [
      '2130706433', usual,
    ], ['0177.0.0.1', usual], ['1.2.3.999', usual], ['１２７.0.0.1', usual], ['a..b', neither], ['.a', neither],
    ['-a.example', neither], ['a-.example', neither], [
      `${'a'.repeat(64)}.example`, neither,
    ], [`${'a.'.repeat(127)}example`, neither], ['*.example', neither], ['a%41', neither],
    ['a?b', neither], ['a#b', neither], ['a\\b', neither], ['fe80::1%eth0', neither], ['xn--a', neither],
    ['xn--a.xn--mnchen-3ya.de', neither],
    ['$(id)', neither], ['', 'Target must not be empty'],
  ])('%j is rejected: %s', (target, message) => {
    expect(refusal(() => of('ICMP', { target }))).toBe(
      `VALIDATION_ERROR Validation failed: target: ${message}`,
    );
  });
  test('may contain a port', () => {
    const portOf = (target: string, change: Body = {}) => of('TCP', { target, tcp_config: change });
    expect(portOf('mail.example:25')).toMatchObject({ target: 'mail.example:25', tcp: { port: 25 } });
    expect(portOf('[2001:db8::1]:25')).toMatchObject({ target: '[2001:db8::1]:25', tcp: { port: 25 } });
    expect(portOf('[2001:db8::1]', { port: 25 })).toMatchObject({ tcp: { port: 25 } });
    expect(portOf('mail.example:25', { port: 25 })).toMatchObject({ tcp: { port: 25 } });
    expect(created({ type: 'TCP', target: 'mail.example', port: 25 })).toMatchObject({
      target: 'mail.example', tcp: { port: 25 },
    });
    expect(refusal(() => portOf('mail.example'))).toBe(
      'VALIDATION_ERROR Validation failed: tcp_config.port: Required',
    );
    expect(refusal(() => portOf('mail.example:25', { port: 26 }))).toBe(
      'VALIDATION_ERROR Validation failed: tcp_config.port: Given twice with different values',
    );
    expect(refusal(() => portOf('mail.example:0'))).toBe(
      'VALIDATION_ERROR Validation failed: target: Port must be from 1 to 65535',
    );
    expect(refusal(() => portOf('mail.example:65536'))).toBe(
      'VALIDATION_ERROR Validation failed: target: Port must be from 1 to 65535',
    );
    expect(refusal(() => portOf('[mail.example]:25'))).toBe(
      'VALIDATION_ERROR Validation failed: target: Only IPv6 addresses can be in brackets',
    );
    expect(refusal(() => portOf('mail.example:smtp'))).toBe(
      `VALIDATION_ERROR Validation failed: target: ${neither}`,
    );
  });
  test('changes with its port', () => {
    const doc = of('TCP', { target: '[2001:db8::1]:25', tcp_config: null });
    expect(changed(doc, { port: 26 })).toMatchObject({ target: '[2001:db8::1]:26', tcp: { port: 26 } });
    expect(changed(doc, { target: 'other.example' })).toMatchObject({
      target: 'other.example', tcp: { port: 25 },
    });
    expect(changed(doc, { target: 'other.example:27' })).toMatchObject({
      target: 'other.example:27', tcp: { port: 27 },
    });
    expect(changed(doc, { target: doc.target, port: 28, tcp_config: { port: 25 } })).toMatchObject({
      target: '[2001:db8::1]:28', tcp: { port: 28 },
    });
  });
  test('of HTTP must not have port 0 or an empty user name', () => {
    expect(refusal(() => of('HTTP', { target: 'http://a:0/' }))).toBe(
      'VALIDATION_ERROR Validation failed: target: Target must not use port 0',
    );
    expect(refusal(() => of('KEYWORD', { target: 'http://@a/' }))).toBe(
      'VALIDATION_ERROR Validation failed: target: Target must not contain a username or password',
    );
  });
  test('can be an address only for PTR', () => {
    const ptr = { dns_config: { record_entries: [{ type: 'PTR' }] } };
    expect(toCheckSpec(of('DNS', { target: '192.0.2.5', ...ptr }))).toMatchObject({
      name: '5.2.0.192.in-addr.arpa',
    });
    expect(refusal(() => of('DNS', { target: '192.0.2.5' }))).toContain(
      'target: Target must be a name; only PTR can look up an address',
    );
    expect(reverseName('2001:db8::567:89ab')).toBe(
      'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
    );
    expect(reverseName('::ffff:192.0.2.5')).toBe(`5.0.2.0.0.0.0.c.f.f.f.f.${'0.'.repeat(20)}ip6.arpa`);
  });
});

describe('settings are rejected', () => {
  test.each<[string, Body, string]>([
    ['KEYWORD', { keyword_config: undefined }, 'keyword_config.keywords: Required'],
    [
      'KEYWORD', { keyword_config: { keywords: [] } },
      'keyword_config.keywords: At least one keyword is required',
    ],
    [
      'KEYWORD', { keyword_config: { keywords: [{ text: ' ' }] } },
      'keyword_config.keywords.0.text: Keyword must not be empty',
    ],
    [
      'KEYWORD', { keywords: [{ text: 'x'.repeat(501) }] },
      'keywords.0.text: Keyword must be at most 500 characters',
    ],
    [
      'KEYWORD', { keyword_config: { keywords: Array(21).fill({ text: 'x' }) } },
      'keyword_config.keywords: At most 20 keywords are allowed',
    ],
    [
      'KEYWORD', { method: 'HEAD' },
      'method: The response to a HEAD request has no body to search for keywords',
    ],
    [
      'TCP', { tcp_config: { port: 0 } }, 'tcp_config.port: Port must be from 1 to 65535',
    ], ['TCP', { port: 65_536 }, 'port: Port must be from 1 to 65535'],
    ['TCP', { protocol: 'ssh', tls: 'starttls' }, 'tcp_config.tls: ssh does not support STARTTLS'],
    ['TCP', { protocol: 'https', tls: 'none' }, 'tcp_config.tls: https requires TLS'],
    ['TCP', { protocol: 'smtp', send: 'x' }, 'tcp_config.send: Applies only to the protocol generic'],
    [
      'TCP', { tcp_config: { port: 25, protocol: 'smtp', expect: '220' } },
      'tcp_config.expect: Applies only to the protocol generic',
    ],
    ['TCP', { expect: '' }, 'expect: Must not be empty'],
    ['TCP', { send: '\\q' }, 'send: A backslash must start \\r, \\n, \\t, \\xNN or \\\\'],
    ['TCP', { send: 'a\\x1' }, 'send: A backslash must start \\r, \\n, \\t, \\xNN or \\\\'],
    ['TCP', { send: '\0' }, 'send: Write control characters as \\xNN'],
    ['TCP', { expect: '\\x00'.repeat(1025) }, 'expect: Must be at most 4096 characters; expect: Must be at most 1024 bytes'],
    ['TCP', { send: 'é'.repeat(513) }, 'send: Must be at most 1024 bytes'],
    ['DNS', { dns_config: {} }, 'dns_config.record_entries: Required'],
    [
      'DNS', { dns_config: { record_entries: [] } },
      'dns_config.record_entries: At least one record is required',
    ],
    [
      'DNS', { dns_config: { record_entries: Array(21).fill({ type: 'A' }) } },
      'dns_config.record_entries: At most 20 records are allowed',
    ],
    [
      'DNS', { record_entries: [{ type: 'A', expected_values: ['x'] }] },
      'record_entries.0.expected_values.0: Must be an IPv4 address',
    ],
    [
      'DNS', { dns_config: { record_entries: [{ type: 'AAAA', expected_values: ['192.0.2.1'] }] } },
      'dns_config.record_entries.0.expected_values.0: Must be an IPv6 address',
    ],
    ...([
      ['AAAA', 'fe80::1%eth0', 'Must be an IPv6 address'], ['CNAME', 'a b', 'Must be a domain name'],
      ['MX', '10 a b', 'Must be a host name, or a preference and a host name'],
      ['MX', '65536 a', 'Must be a host name, or a preference and a host name'],
      ['SRV', '1 2 a.example', 'Must be priority, weight, port and target, separated by spaces'],
      ['SOA', 'a b 1', 'Must be the name of the primary server, or all seven fields of the record'],
      ['CAA', 'issue ca.example', 'Must be flags, tag and value, separated by spaces'],
      ['TXT', '"open', 'Quotes must be closed'],
    ].map(([type, value, message]): [string, Body, string] => [
      'DNS', { record_entries: [{ type, expected_values: [value] }] },
      `record_entries.0.expected_values.0: ${message}`,
    ])),
    [
      'DNS', { dns_config: { record_entries: [{ type: 'A' }], dns_server: 'http://x' } },
      'dns_config.dns_server: Server must be a host name or an IP address, not a URL',
    ],
    ['DNS', { resolution_timeout_ms: 99 }, 'resolution_timeout_ms: Timeout must be at least 100 ms'],
    [
      'ICMP', { icmp_config: { packet_count: 1_000_000 } },
      'icmp_config.packet_count: At most 10 packets are sent per check',
    ],
    [
      'ICMP', { icmp_config: { packet_size: 65_000 } },
      'icmp_config.packet_size: A packet has at most 1400 bytes',
    ],
    [
      'ICMP', { icmp_config: { ttl: 0 } }, 'icmp_config.ttl: TTL must be from 1 to 255',
    ], ['ICMP', { ttl: 256 }, 'ttl: TTL must be from 1 to 255'],
    ['ICMP', { icmp_config: { timeout_ms: 99 } }, 'icmp_config.timeout_ms: Timeout must be at least 100 ms'],
    [
      'HTTP', { target: undefined }, 'target: Required',
    ], ['TCP', { interval_seconds: undefined }, 'interval_seconds: Required'],
    ['HTTP', { keyword_config: {} }, 'keyword_config: Does not apply to HTTP monitors'],
    ['TCP', { method: 'GET' }, 'method: Does not apply to TCP monitors'],
    [
      'ICMP', { http_config: {}, port: 7 },
      'http_config: Does not apply to ICMP monitors; port: Does not apply to ICMP monitors',
    ],
    ['DNS', { heartbeat_interval: 60 }, 'heartbeat_interval: Does not apply to DNS monitors'],
  ])('for %s with %j: %s', (type, change, message) => {
    expect(refusal(() => of(type, change))).toBe(`VALIDATION_ERROR Validation failed: ${message}`);
  });

  test.each<[Body, string]>([
    [{ heartbeat_interval: undefined }, 'heartbeat_interval: Required for HEARTBEAT monitors, unless heartbeat_schedule is set'],
    [
      { heartbeat_interval: undefined, grace_period: null },
      'heartbeat_interval: Required for HEARTBEAT monitors, unless heartbeat_schedule is set; grace_period: Required for HEARTBEAT monitors',
    ],
    [{ heartbeat_interval: 29 }, 'heartbeat_interval: Interval must be at least 30 seconds'],
    [{ grace_period: 0 }, 'grace_period: Grace period must be at least 1 second'],
  ])('for HEARTBEAT with %j and a separate error code: %s', (change, message) => {
    expect(refusal(() => of('HEARTBEAT', change))).toBe(`VALIDATION_FAILED Validation failed: ${message}`);
  });
});

describe('a heartbeat', () => {
  test('keeps its random token', () => {
    const [one, other] = [of('HEARTBEAT'), of('HEARTBEAT', { target: 'mine', heartbeat_token: 'mine' })];
    for (const { target, heartbeat } of [one, other]) {
      expect([heartbeat?.token, target]).toEqual([target, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    }
    expect(one.target).not.toBe(other.target);
    expect(changed(one, { grace_period: 90, target: 'mine' })).toMatchObject({
      target: one.target, heartbeat: { token: one.target, grace_seconds: 90 },
    });
  });
  test('uses the ping interval as its interval until another is set', () => {
    const doc = of('HEARTBEAT');
    expect(doc.interval_seconds).toBe(600);
    expect(changed(doc, { heartbeat_interval: 700, interval_seconds: 600 })).toMatchObject({
      interval_seconds: 700,
    });
    expect(changed(doc, { interval_seconds: 60 })).toMatchObject({
      interval_seconds: 60, heartbeat: { interval_seconds: 600 },
    });
    expect(of('HEARTBEAT', { heartbeat_interval: 31 * 86_400 }).interval_seconds).toBe(86_400);
  });
});

describe('accepted settings', () => {
  const text = fc.string({ minLength: 1, maxLength: 30 }).filter((value) => value.trim() !== '');
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const host =
    fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('_a.example', 'münchen.example', 'a.example.'));
  const http = {
    method: maybe(fc.constantFrom('GET', 'POST', 'PUT')), verify_ssl: maybe(fc.boolean()),
    slow_response_threshold_ms: maybe(fc.integer({ min: 1, max: 60_000 })),
    slow_response_action: maybe(fc.constantFrom('degraded', 'down')),
    expected_status_ranges: maybe(fc.array(fc.constantFrom('200-299', '404-404'), { maxLength: 3 })),
    ip_family: maybe(fc.constantFrom('any', 'ipv4', 'ipv6', null)),
    connect_to: maybe(fc.constantFrom('a.example', '[::1]:80', '192.0.2.1', null)),
    assertions: maybe(fc.array(fc.record({
      source: fc.constant('json'), property: fc.constantFrom('$.a', '$[0]'),
      comparison: fc.constantFrom('equals', 'contains'), target: fc.oneof(text, fc.integer()),
    }), { maxLength: 3 })),
  };
  const entry = ([type, values]: [string, string[]]) => fc.record({
    type: fc.constant(type), expected_values: maybe(fc.subarray(values)),
    match: maybe(fc.constantFrom('exact', 'contains', 'any')),
  });
  const entries = fc.array(fc.oneof(...([
    ['MX', ['10 Mail.example.', 'mail.example']], ['NS', ['ns1.example']], ['TXT', ['a b', '"a" "b"']],
    ['SOA', ['ns1.example', 'ns1.example a.b 1 2 3 4 5']], ['SRV', ['0 0 53  a.example']],
    ['CAA', ['0 issue "ca.example"', '0 issue ;']], ['PTR', ['münchen.example']], ['CNAME', ['.']],
  ] satisfies [string, string[]][]).map(entry)), { minLength: 1, maxLength: 4 });
  const bodies: Record<string, fc.Arbitrary<Body>> = {
    HTTP: fc.record({ ...http, expected_status: maybe(fc.array(fc.integer({ min: 100, max: 599 }))) }),
    KEYWORD: fc.record({ ...http, keyword_config: fc.record({
      keywords: fc.array(fc.record({ text, should_contain: fc.boolean() }), { minLength: 1, maxLength: 3 }),
      match_mode: maybe(fc.constantFrom('all', 'any')),
    }) }),
    TCP: fc.record({ target: host, tcp_config: fc.record({
      port: fc.integer({ min: 1, max: 65_535 }), protocol: maybe(fc.constantFrom('smtp', 'ssh')),
      protocol_validation: maybe(fc.boolean()), tls: maybe(fc.constantFrom('none', 'implicit', null)),
    }) }),
    DNS: fc.record({ target: fc.domain(), dns_config: fc.record({
      record_entries: entries,
      dns_server: maybe(fc.constantFrom('1.1.1.1', 'dns.example:5353', '[::1]:53', null)),
    }) }),
    ICMP: fc.record({ target: host, icmp_config: fc.record({
      packet_count: maybe(fc.integer({ min: 1, max: 10 })), ttl: maybe(fc.integer({ min: 1, max: 255 })),
    }) }),
    HEARTBEAT: fc.record({
      heartbeat_interval: fc.integer({ min: 30, max: 10_000_000 }),
      grace_period: fc.integer({ min: 1, max: 86_400 }),
    }),
  };
  test.each(
    Object.keys(CHECK_TYPES),
  )('of %s survive a read and an update, and make a complete spec', (type) => {
    fc.assert(fc.property(bodies[type] as fc.Arbitrary<Body>, (change) => {
      const doc = of(type, JSON.parse(JSON.stringify(change)) as Body);
      const read = JSON.parse(JSON.stringify(viewMonitor(doc, null, 'editor'))) as Body;
      expect(changed(doc, read)).toEqual(doc);
      const spec = checkSpec.parse(JSON.parse(JSON.stringify(toCheckSpec(doc))));
      expect([spec.type, 'unreadable' in spec]).toEqual([type, false]);
    }), { numRuns: fewOrAll(60, 200) });
  });
});

describe('TLS and texts of a TCP monitor', () => {
  const specOf = (doc: MonitorDoc) => toCheckSpec(doc) as Record<string, unknown>;

  test.each([
    ['smtp', 25, 'none'], ['smtp', 465, 'implicit'], ['imap', 993, 'implicit'], ['pop3', 995, 'implicit'],
    ['ftp', 990, 'implicit'], ['https', 8443, 'implicit'], ['http', 80, 'none'], ['generic', 443, 'implicit'],
    ['ssh', 443, 'none'],
  ])('%s on port %d defaults to %s', (protocol, port, tls) => {
    const doc = of('TCP', { tcp_config: { port, protocol } });
    expect(specOf(doc)['tls']).toBe(tls);
    expect(specOf(changed(doc, { tls: 'implicit' }))['tls']).toBe('implicit');
    expect(specOf(changed(changed(doc, { tls: 'implicit' }), { tls: null }))['tls']).toBe(tls);
  });

  test.each(TCP_PROTOCOLS)('%s is validated by default unless it is generic', (protocol) => {
    const isUsual = protocol !== 'generic';
    const doc = of('TCP', { tcp_config: { port: 2525, protocol } });
    expect(specOf(doc)['protocol_validation']).toBe(isUsual);
    const without = changed(doc, { protocol_validation: false });
    expect(specOf(without)['protocol_validation']).toBe(false);
    expect(specOf(changed(without, { protocol_validation: null }))['protocol_validation']).toBe(isUsual);
    // As stored before the field existed.
    expect(specOf({ ...doc, tcp: { port: 2525, protocol } as never })['protocol_validation']).toBe(isUsual);
  });

  test('may contain any byte', () => {
    const send = 'é \\\\ \\r\\n\\t\\x00\\xfF\r\n';
    const doc = of('TCP', { send, expect: '\\x2B' });
    expect(specOf(doc)).toMatchObject({ send: 'Ã© \\ \r\n\t\0ÿ\r\n', expect: '+' });
    expect(viewMonitor(doc, null, 'editor')).toMatchObject({ tcp_config: { send, expect: '\\x2B' } });
    expect(viewMonitor(doc, null, 'viewer')).toMatchObject({ tcp_config: { send: '***', expect: '\\x2B' } });
    expect(of('TCP', { send: '\\x00'.repeat(1024) }).tcp?.send).toHaveLength(4096);
  });

  test('can be kept, replaced and removed', () => {
    const doc = of('TCP', { send: 'a', expect: 'b' });
    for (const send of ['***', null]) expect(changed(doc, { send }).tcp).toMatchObject({ send: 'a', expect: 'b' });
    expect(changed(doc, { tcp_config: { send: null, expect: 'c' } }).tcp).toMatchObject({ send: 'a', expect: 'c' });
    expect(changed(doc, { send: '', expect: null }).tcp).toMatchObject({ send: null, expect: null });
    expect(changed(doc, { protocol: 'smtp' }).tcp).toMatchObject({ protocol: 'smtp', send: null, expect: null });
    expect(of('TCP', { send: null }).tcp).toMatchObject({ send: null });
  });
});
