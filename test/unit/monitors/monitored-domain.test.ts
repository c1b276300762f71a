import { expect, test } from 'vitest';
import { registrableDomain, monitoredDomain } from '../../../controller/monitors/target.ts';

test.each([
  ['HTTP', 'https://www.example.co.uk:8443/a?b', 'example.co.uk'],
  ['KEYWORD', 'http://EXAMPLE.com./', 'example.com'],
  ['HTTP', 'https://bücher.example.de/', 'example.de'],
  ['HTTP', 'https://www.bücher.de/', 'xn--bcher-kva.de'],
  ['HTTP', 'https://someone.github.io/', 'github.io'],
  ['TCP', 'mail.example.org:25', 'example.org'],
  ['ICMP', 'Host.Example.NET', 'example.net'],
  ['DNS', '_dmarc.example.com.br', 'example.com.br'],
  ['TCP', 'пример.рф', 'xn--e1afmkfd.xn--p1ai'],
] as const)('a %s monitor of %s has the domain %s', (type, target, domain) => {
  expect(registrableDomain({ type, target })).toBe(domain);
});

test.each([
  ['HTTP', 'http://192.0.2.1/', 'IP address'],
  ['HTTP', 'http://[2001:db8::1]:80/', 'IP address'],
  ['TCP', '[2001:db8::1]:25', 'IP address'],
  ['ICMP', '192.0.2.1', 'IP address'],
  ['HTTP', 'http://localhost:3000/', 'public suffix'],
  ['HTTP', 'http://intranet/', 'public suffix'],
  ['TCP', 'db.internal:27017', 'public suffix'],
  ['ICMP', 'printer.local', 'public suffix'],
  ['HTTP', 'http://hidden.onion/', 'public suffix'],
  ['HTTP', 'http://router.home.arpa/', 'public suffix'],
  ['DNS', '1.2.0.192.in-addr.arpa', 'public suffix'],
  ['DNS', 'co.uk', 'public suffix'],
  ['HEARTBEAT', 'token', 'Heartbeat'],
] as const)('a %s monitor of %s has no domain', (type, target, reason) => {
  expect(registrableDomain({ type, target })).toEqual({ reason: expect.stringContaining(reason) });
});

test('a domain is monitored only if domain monitoring is on and the monitor is not deleted', () => {
  const monitor = {
    type: 'HTTP', target: 'https://example.com/', deleted_at: null,
    domain_monitoring: { enabled: true, expiry_warning_days: [7] },
  } as const;
  const settings = { enabled: false, expiry_warning_days: [7] };
  expect(monitoredDomain({ ...monitor, domain_monitoring: { enabled: true, expiry_warning_days: [7] } })).toBe('example.com');
  expect(monitoredDomain({ ...monitor, domain_monitoring: settings })).toBeNull();
  expect(monitoredDomain({ ...monitor, domain_monitoring: null })).toBeNull();
  expect(monitoredDomain({ ...monitor, domain_monitoring: { ...settings, enabled: true }, deleted_at: 1 })).toBeNull();
});
