import type { Expected, MonitorBody, Scenario } from '../scenario.ts';
import type { SecureSite } from '../targets/secure-site.ts';
import type { TestCertificates } from '../certificates.ts';

const DOWN: Expected = { event: 'monitor.down', type: 'ssl_error', layer: 'tls' };

interface TlsScenario {
  name: string;
  toggle: (site: SecureSite, isOn: boolean) => void;
  expected?: Expected;
  settings?: Partial<MonitorBody>;
}

function secure({ name, toggle, expected = DOWN, settings = {} }: TlsScenario): Scenario {
  return {
    name, expected,
    detector: (world) => ({ type: 'HTTP', target: world.secureSite(name).url, ...settings }),
    toggle: (world, isOn) => toggle(world.secureSite(name), isOn),
  };
}

const shows = (name: string, which: keyof TestCertificates): Scenario => ({
  ...secure({ name, toggle: () => undefined }),
  toggle: (world, isOn) => world.secureSite(name).show(isOn ? world.certificates[which] : null),
});

export const TLS: readonly Scenario[] = [
  secure({ name: 'tls-deprecated-tls11', toggle: (site, isOn) => site.speakOldTls(isOn) }),
  shows('tls-expired-30d', 'expired'),
  {
    ...shows('tls-expiring-5d', 'expiring'),
    expected: { event: 'monitor.ssl_expiring', type: null, layer: null },
    detector: (world) => ({
      type: 'HTTP', target: world.secureSite('tls-expiring-5d').url,
      ssl_monitoring: { enabled: true, expiry_warning_days: [7] },
    }),
  },
  secure({ name: 'tls-handshake-version-mismatch', toggle: (site, isOn) => site.refuseHandshake(isOn) }),
  shows('tls-invalid-hostname-mismatch', 'ofAnotherHost'),
  shows('tls-invalid-self-signed', 'selfSigned'),
];
