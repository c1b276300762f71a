import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

/**
 * The name server Knot on a port of 127.0.0.1 with these zones: zone files by name. Knot responds with SERVFAIL
 * for a zone that it cannot read, and with REFUSED for a missing one.
 */
export async function startKnot(zones: Record<string, string>): Promise<Service & { port: number }> {
  await ensureDebianPackages('knot');
  const dir = serviceFolder('knot');
  const port = await freePort();
  const names = Object.keys(zones);
  const service = await startService({
    program: '/usr/sbin/knotd', args: ['-c', 'knot.conf'], dir, ports: [port],
    files: {
      'run/': '',
      ...Object.fromEntries(names.map((name) => [`${name}.zone`, zones[name] as string])),
      'knot.conf': `
server:
  rundir: "${dir}/run"
  listen: 127.0.0.1@${port}
database:
  storage: "${dir}"
template:
  - id: default
    storage: "${dir}"
    journal-content: none
    zonefile-sync: -1
zone:
${names.map((name) => `  - domain: ${name}\n    file: ${name}.zone`).join('\n')}
`,
    },
  });
  return { port, ...service };
}
