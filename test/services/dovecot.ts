import { join } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { Certificate } from '../helpers/certificate.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, serviceUser, startService, type Service } from './service.ts';

export interface Dovecot extends Service {
  ports: Record<'imap' | 'imaps' | 'pop3' | 'pop3s', number>;
}

/** dovecot with POP3 and IMAP, each in plain text with STARTTLS, and with implicit TLS. */
export async function startDovecot({ cert, key }: Certificate): Promise<Dovecot> {
  await ensureDebianPackages('dovecot-imapd', 'dovecot-pop3d');
  const dir = serviceFolder('dovecot');
  const ports = {
    imap: await freePort(), imaps: await freePort(), pop3: await freePort(), pop3s: await freePort(),
  };
  const { user, group } = serviceUser();
  const listener = (name: keyof Dovecot['ports']) =>
    `inet_listener ${name} {\n address = 127.0.0.1\n port = ${ports[name]}\n ssl = ${name.endsWith('s') ? 'yes' : 'no'}\n}`;
  const service = await startService({
    program: '/usr/sbin/dovecot', args: ['-F', '-c', join(dir, 'dovecot.conf')], dir,
    ports: Object.values(ports),
    files: {
      'cert.pem': cert, 'key.pem': key,
      // Without root, dovecot can change neither its user nor its root directory.
      'dovecot.conf': `
        protocols = imap pop3
        base_dir = ${join(dir, 'run')}
        state_dir = ${join(dir, 'state')}
        log_path = /dev/stderr
        default_internal_user = ${user}
        default_internal_group = ${group}
        default_login_user = ${user}
        mail_location = maildir:${join(dir, 'mail')}
        ssl = yes
        ssl_cert = <${join(dir, 'cert.pem')}
        ssl_key = <${join(dir, 'key.pem')}
        passdb {
          driver = static
          args = nopassword=y
        }
        service anvil {
          chroot =
        }
        service imap-login {
          chroot =
          ${listener('imap')}
          ${listener('imaps')}
        }
        service pop3-login {
          chroot =
          ${listener('pop3')}
          ${listener('pop3s')}
        }`,
    },
  });
  return { ports, ...service };
}
