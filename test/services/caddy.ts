import { join } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { Certificate } from '../helpers/certificate.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

/** Caddy on port 443 of `address`, with the directives of one site. */
export async function startCaddy(
  { address, host, certificate, directives }: { address: string; host: string; certificate: Certificate; directives: string },
): Promise<Service> {
  await ensureDebianPackages('caddy');
  const dir = serviceFolder('caddy');
  const port = await freePort();
  return startService({
    program: '/usr/bin/caddy', args: ['run', '--adapter', 'caddyfile', '--config', join(dir, 'Caddyfile')],
    // For a port below 1024.
    dir, ports: [port], asRoot: true,
    files: {
      'cert.pem': certificate.cert, 'key.pem': certificate.key,
      'Caddyfile': `
        {
          admin off
          auto_https disable_redirects
          storage file_system ${join(dir, 'storage')}
        }
        https://${host} {
          bind ${address}
          tls ${join(dir, 'cert.pem')} ${join(dir, 'key.pem')}
          ${directives}
        }
        http://127.0.0.1:${port} {
          respond ok
        }`,
    },
  });
}
