import { join } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { Certificate } from '../helpers/certificate.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

/** vsftpd in plain text with AUTH TLS, or with implicit TLS. */
export async function startVsftpd(
  { cert, key }: Certificate, { implicitTls }: { implicitTls: boolean },
): Promise<Service & { port: number }> {
  await ensureDebianPackages('vsftpd');
  const dir = serviceFolder('vsftpd');
  const port = await freePort();
  const settings = {
    listen: 'YES', listen_address: '127.0.0.1', listen_port: port, background: 'NO',
    run_as_launching_user: 'YES', anonymous_enable: 'YES', anon_root: join(dir, 'files'),
    secure_chroot_dir: join(dir, 'empty'), ftpd_banner: 'Welcome', ssl_enable: 'YES',
    rsa_cert_file: join(dir, 'cert.pem'), rsa_private_key_file: join(dir, 'key.pem'), ssl_tlsv1: 'YES',
    implicit_ssl: implicitTls ? 'YES' : 'NO', seccomp_sandbox: 'NO',
  };
  const service = await startService({
    program: '/usr/sbin/vsftpd', args: [join(dir, 'vsftpd.conf')], dir, ports: [port],
    files: {
      'cert.pem': cert, 'key.pem': key, 'files/': '', 'empty/': '',
      'vsftpd.conf': Object.entries(settings).map(([name, value]) => `${name}=${value}\n`).join(''),
    },
  });
  return { port, ...service };
}
