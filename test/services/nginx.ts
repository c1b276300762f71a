import { join } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { Certificate } from '../helpers/certificate.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

/** Served at `/page`, compressed on request, and at `/drip` with 1,000 bytes a second. */
export const PAGE = `<title>Shop</title>${'<p>Äpfel und Birnen</p>'.repeat(1000)}<p>In stock: 5</p>`;

/** nginx on two ports of 127.0.0.1, with a response of two letters for every other path. */
export async function startNginx(
  { cert, key }: Certificate,
): Promise<Service & { httpPort: number; httpsPort: number }> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const service = await runNginx({
    ports: [httpPort, httpsPort], certificate: { cert, key }, files: { page: PAGE, drip: PAGE },
    sites: (tls) => `
      server {
        listen 127.0.0.1:${httpPort};
        listen 127.0.0.1:${httpsPort} ssl;
        ${tls}
        default_type text/html;
        location / { return 200 ok; }
        location = /page { gzip on; }
        location = /drip { limit_rate 1000; }
      }`,
  });
  return { httpPort, httpsPort, ...service };
}

interface NginxOptions {
  /** On 127.0.0.1. */
  ports: number[];
  certificate: Certificate;
  /** Files served at `/`, by name. */
  files?: Record<string, string>;
  /** The servers; `tls` names the certificate and its key. */
  sites: (tls: string) => string;
}

export async function runNginx({ ports, certificate, files = {}, sites }: NginxOptions): Promise<Service> {
  await ensureDebianPackages('nginx');
  const dir = serviceFolder('nginx');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(dir, kind)};`).join('\n');
  const tls = `ssl_certificate ${join(dir, 'cert.pem')};\nssl_certificate_key ${join(dir, 'key.pem')};`;
  return startService({
    program: '/usr/sbin/nginx', args: ['-p', dir, '-e', 'stderr', '-c', join(dir, 'nginx.conf')],
    dir, ports,
    files: {
      'cert.pem': certificate.cert, 'key.pem': certificate.key, ...files,
      'nginx.conf': `
        daemon off;
        pid ${join(dir, 'pid')};
        worker_processes 1;
        events { worker_connections 256; }
        http {
          access_log off;
          ${temporary}
          root ${dir};
          ${sites(tls)}
        }`,
    },
  });
}
