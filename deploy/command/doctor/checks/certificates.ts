import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ControllerConfig } from '../../../../controller/config.ts';
import { natsUrls } from '../../../../shared/nats-connection.ts';
import { combine, failed, NOT_CHECKED, warning, type Check, type Finding } from '../check.ts';
import { readCertificate, type CertificateFacts } from '../reach/read-certificate.ts';
import { endpointOf } from '../../../../shared/net-guard.ts';

const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 14;

export const checkCertificates: Check = async ({ settings, clock, hosts }) => {
  if (settings === null) return NOT_CHECKED;
  const { http: { baseUrl }, nats } = settings.controller;
  const base = baseUrl === null ? null : new URL(baseUrl);
  const natsServers = settings.hasNats ? [...natsUrls(nats.url), ...natsUrls(nats.publicUrl ?? '')] : [];
  const places = [
    ...(base?.protocol === 'https:' ? [{ variable: 'BASE_URL', url: base, isNats: false }] : []),
    ...natsServers.filter(({ protocol }) => protocol === 'tls:').map((url) => ({ variable: 'NATS_URL', url, isNats: true })),
  ];
  const unique = [...new Map(places.map((place) => [place.url.host, place])).values()];
  const remote = await Promise.all(unique.map(async ({ variable, url, isNats }) => {
    const name = `${url.hostname} (${variable})`;
    const { host } = endpointOf(url);
    if (await hosts.failureOf(host) !== null) return [warning(`The certificate of ${name} could not be read: the name has no address`, 'See the check dns.')];
    try {
      const facts = await readCertificate({ host, port: Number(url.port) || (isNats ? 4222 : 443), isNats });
      return judgeCertificate(name, facts, clock.now());
    } catch (error) {
      return [warning(
        `The certificate of ${name} could not be read: ${(error as Error).message}`,
        'See whether the server runs, and open the address from another network: some routers do not let a host reach its own public address.',
      )];
    }
  }));
  const local = settings.hasNats ? [] : judgeOwnCertificate(nats, clock.now());
  const names = [...unique.map(({ url }) => url.hostname), ...(nats.tls === null || settings.hasNats ? [] : ['NATS_TLS_CERT'])];
  return combine([...remote.flat(), ...local], names.length === 0 ? 'No setting needs a certificate' : `Valid: ${names.join(', ')}`);
};

export function judgeCertificate(name: string, facts: CertificateFacts, now: number): Finding[] {
  const { validFrom, validTo, wrongName, untrusted } = facts;
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const renew = 'Renew it, and let the server load the new one.';
  if (now > validTo) return [failed(`The certificate of ${name} expired on ${day(validTo)}`, renew)];
  if (now < validFrom) {
    return [failed(`The certificate of ${name} is valid only from ${day(validFrom)} on`, 'See the check clock; if the clock is right, replace the certificate.')];
  }
  const findings: Finding[] = [];
  if (wrongName !== null) {
    findings.push(failed(`The certificate of ${name} is for another name: ${wrongName}`, 'Get a certificate for this name, or use a name in the setting that the certificate has.'));
  }
  if (untrusted !== null) {
    findings.push(failed(
      `The certificate of ${name} is not trusted (${untrusted})`,
      'Let the server send the whole chain. If the certificate is of your own authority, set NODE_EXTRA_CA_CERTS to a file with that, for controllers and probes.',
    ));
  }
  const days = Math.floor((validTo - now) / DAY_MS);
  if (days < EXPIRES_SOON_DAYS) findings.push(warning(`The certificate of ${name} expires in ${days} days, on ${day(validTo)}`, renew));
  return findings;
}

/** That of the NATS server that `farwatch start` runs. Who issued it is seen only by those who connect. */
function judgeOwnCertificate({ tls, publicUrl }: ControllerConfig['nats'], now: number): Finding[] {
  if (tls === null) return [];
  const name = `NATS (${tls.certFile})`;
  try {
    const certificate = new X509Certificate(readFileSync(tls.certFile));
    const host = natsUrls(publicUrl ?? '')[0]?.hostname ?? '';
    const findings = judgeCertificate(name, {
      validFrom: Date.parse(certificate.validFrom), validTo: Date.parse(certificate.validTo), untrusted: null,
      wrongName: certificate.checkHost(host) === undefined ? `it does not have ${host}` : null,
    }, now);
    if (certificate.checkPrivateKey(createPrivateKey(readFileSync(tls.keyFile)))) return findings;
    return [...findings, failed('NATS_TLS_KEY is the key of another certificate', 'Set it to the key of the certificate in NATS_TLS_CERT.')];
  } catch (error) {
    return [failed(`The certificate of ${name} or its key cannot be read: ${(error as Error).message}`, 'Correct NATS_TLS_CERT and NATS_TLS_KEY.')];
  }
}
