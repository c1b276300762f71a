import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

/** A proxy that allows only CONNECT to port 443, to users with this password, and knows these hosts alone. */
export async function startSquid(
  user: string, password: string, hosts: Record<string, string>,
): Promise<Service & { port: number; log(): string }> {
  await ensureDebianPackages('squid', 'openssl');
  const dir = serviceFolder('squid');
  const port = await freePort();
  const hash = execFileSync('/usr/bin/openssl', ['passwd', '-apr1', password], { encoding: 'utf8' });
  const service = await startService({
    program: '/usr/sbin/squid', args: ['-N', '-f', join(dir, 'squid.conf')], dir, ports: [port],
    files: {
      passwords: `${user}:${hash}`,
      hosts: Object.entries(hosts).map(([host, address]) => `${address} ${host}\n`).join(''),
      'squid.conf': `
        http_port 127.0.0.1:${port}
        auth_param basic program /usr/lib/squid/basic_ncsa_auth ${join(dir, 'passwords')}
        acl https port 443
        acl known proxy_auth REQUIRED
        http_access deny !CONNECT
        http_access deny !https
        http_access allow known
        http_access deny all
        hosts_file ${join(dir, 'hosts')}
        cache deny all
        access_log stdio:${join(dir, 'access.log')}
        logfile_rotate 0
        cache_log ${join(dir, 'cache.log')}
        pid_filename ${join(dir, 'pid')}
        coredump_dir ${dir}
        shutdown_lifetime 1 seconds`,
    },
  });
  return { ...service, port, log: () => readFileSync(join(dir, 'access.log'), 'utf8') };
}
