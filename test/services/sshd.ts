import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

/** OpenSSH with its own host key. */
export async function startSshd(): Promise<Service & { port: number }> {
  await ensureDebianPackages('openssh-server');
  const dir = serviceFolder('sshd');
  const port = await freePort();
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, 'new')]);
  const service = await startService({
    program: '/usr/sbin/sshd', args: ['-D', '-e', '-f', join(dir, 'sshd_config')], dir, ports: [port],
    files: {
      host_key: readFileSync(join(dir, 'new'), 'utf8'),
      sshd_config: [
        'ListenAddress 127.0.0.1', `Port ${port}`, `HostKey ${join(dir, 'host_key')}`, 'PidFile none', 'UsePAM no', '',
      ].join('\n'),
    },
  });
  return { port, ...service };
}
