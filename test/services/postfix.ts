import { join } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { Certificate } from '../helpers/certificate.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

/** `postfix check` creates the queue's folders, with their owners. */
const START = '/usr/sbin/postfix -c "$0" check; exec /usr/lib/postfix/sbin/master -c "$0" -d';

/**
 * Postfix with separate configuration and queue, in plain text with STARTTLS and with implicit TLS. Its master
 * runs only as root; its SMTP processes run as the user `postfix`.
 */
export async function startPostfix(
  { cert, key }: Certificate,
): Promise<Service & { port: number; tlsPort: number }> {
  await ensureDebianPackages('postfix');
  const dir = serviceFolder('postfix');
  const [port, tlsPort] = [await freePort(), await freePort()];
  const service = await startService({
    program: '/bin/sh', args: ['-c', START, join(dir, 'conf')], dir, ports: [port, tlsPort], asRoot: true,
    files: {
      'queue/pid/': '', 'conf/cert.pem': cert, 'conf/key.pem': key,
      'conf/main.cf': [
        'compatibility_level = 3.6', `queue_directory = ${join(dir, 'queue')}`,
        `data_directory = ${join(dir, 'data')}`, 'daemon_directory = /usr/lib/postfix/sbin',
        'command_directory = /usr/sbin', 'myhostname = mail.test',
        `maillog_file = ${join(dir, 'log')}`, `maillog_file_prefixes = ${dir}`,
        'smtpd_tls_security_level = may', `smtpd_tls_cert_file = ${join(dir, 'conf/cert.pem')}`,
        `smtpd_tls_key_file = ${join(dir, 'conf/key.pem')}`, '',
      ].join('\n'),
      'conf/master.cf': [
        `127.0.0.1:${port} inet n - n - - smtpd`,
        `127.0.0.1:${tlsPort} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes`,
        'tlsmgr unix - - n 1000? 1 tlsmgr', 'rewrite unix - - n - - trivial-rewrite', 'anvil unix - - n - 1 anvil',
        'proxymap unix - - n - - proxymap', 'postlog unix-dgram n - n - 1 postlogd', '',
      ].join('\n'),
    },
  });
  return { port, tlsPort, ...service };
}
