import { makeCertificate } from '../../helpers/certificate.ts';

const DAY_MS = 86_400_000;

/** The first name is also the subject, by which OpenSSL finds an authority, so it must be unique. */
const here = (subject: string): string[] => [`${subject}.bench.test`, '127.0.0.1'];

export type TestCertificates = ReturnType<typeof makeCertificates>;

/** Certificates for 127.0.0.1. Each is its own authority. */
export function makeCertificates() {
  const now = Date.now();
  return {
    sound: makeCertificate({ names: here('sound'), notAfter: now + 90 * DAY_MS }),
    expired: makeCertificate({
      names: here('expired'), notBefore: now - 120 * DAY_MS, notAfter: now - 30 * DAY_MS,
    }),
    expiring: makeCertificate({ names: here('expiring'), notAfter: now + 5 * DAY_MS }),
    ofAnotherHost: makeCertificate({ names: ['elsewhere.bench.test'], notAfter: now + 90 * DAY_MS }),
    selfSigned: makeCertificate({ names: here('selfsigned'), notAfter: now + 90 * DAY_MS }),
  };
}

/** What a probe must trust, PEM: all except the self-signed one. */
export function trusted({ selfSigned: _untrusted, ...others }: TestCertificates): string {
  return Object.values(others).map(({ cert }) => cert).join('');
}
