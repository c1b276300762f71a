import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { until } from '../helpers/until.ts';
import { startBackend, type Backend } from './container.ts';
import { commandsOf, MACHINE_IMAGE as NAME, podman, shell } from './podman.ts';
import { PackagingRig, rightsIn } from './rig.ts';

const CREDS = '/etc/farwatch-nats.creds';
/** The range of users that systemd allocates for services. */
const DYNAMIC_USERS = { min: 61_184, max: 65_519 };
let backend: Backend;
let rig: PackagingRig;

const inMachine = (...command: string[]) => podman('exec', '--workdir', '/src', NAME, ...command);
const script = (commands: string) =>
  shell(`podman exec --interactive --workdir /src ${NAME} sh -e <<'SCRIPT'\n${commands}\nSCRIPT`);

class Service {
  readonly unit: string;

  constructor(role: string) {
    this.unit = `farwatch-${role}.service`;
  }

  show(property: string): Promise<string> {
    return inMachine('systemctl', 'show', '--value', '--property', property, this.unit);
  }

  log(): Promise<string> {
    return inMachine('journalctl', '--unit', this.unit, '--output', 'cat', '--no-pager');
  }

  async hasEnded(): Promise<boolean> {
    return ['failed', 'inactive'].includes(await this.show('ActiveState'));
  }

  /** The users and capabilities of its process. */
  async rights(): Promise<{ status: string } & ReturnType<typeof rightsIn>> {
    const status = await inMachine('cat', `/proc/${await this.show('MainPID')}/status`);
    return { status, ...rightsIn(status) };
  }
}

const controller = new Service('controller');
const probe = new Service('probe');

beforeAll(async () => {
  backend = await startBackend();
  const context = mkdtempSync(join(tmpdir(), 'farwatch-machine-'));
  await shell(`npm pack --pack-destination ${context}`);
  await podman('build', '--tag', NAME, '--file', 'test/packaging/machine.Containerfile', context);
  rmSync(context, { recursive: true });
  // Everything systemd needs except the kernel's settings, as with `--privileged`.
  await podman(
    'run', '--detach', '--name', NAME, '--systemd', 'always', '--cap-add', 'ALL',
    ...['seccomp=unconfined', 'apparmor=unconfined', 'label=disable'].flatMap((option) => ['--security-opt', option]),
    NAME,
  );
  await until(() => inMachine('systemctl', 'is-system-running'), { what: 'systemd has started', everyMs: 250 })
    .catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await podman('logs', NAME)}`);
    });
  const url = `http://127.0.0.1:${await freePort()}`;
  await startControllerUnit(url);
  rig = await PackagingRig.start(url);
  await script(commandsOf('systemd/farwatch-probe.service', {
    'https://farwatch.example.com': url, 'the enrolment token, for the first start': rig.token,
  }));
});
afterAll(async () => {
  await rig?.stop();
  await backend?.stop();
});

/** By the commands of the unit. A systemd in a container cannot load credentials for another user. */
async function startControllerUnit(url: string): Promise<void> {
  const { MONGODB_URL, NATS_URL } = backend.settings;
  const commands = commandsOf('systemd/farwatch-controller.service', {
    'mongodb://mongodb.example.com/farwatch': MONGODB_URL, 'nats://nats.example.com:4222': NATS_URL,
    'https://farwatch.example.com': `${url}\nPORT=${new URL(url).port}\nNATS_CREDS=${CREDS}\nMIN_INTERVAL_SECONDS=1\nRATE_LIMIT=1000000`,
  });
  await script(`
install -m 644 /dev/stdin ${CREDS} <<END
${backend.creds}
END
${commands}`);
  const isReady = () => fetch(`${url}/readyz`).then((response) => response.ok, () => false);
  await until(async () => await isReady() || await controller.hasEnded(), { what: 'the controller is ready', everyMs: 250 });
  if (!await isReady()) throw new Error(await controller.log());
}

test('systemd accepts the units', async () => {
  for (const { unit } of [controller, probe]) {
    expect(await inMachine('systemd-analyze', 'verify', `/etc/systemd/system/${unit}`), unit).toBe('');
  }
});

test('a probe enrols with its token and reports results to a controller', async () => {
  await rig.connected(1, probe);
  for (const service of [controller, probe]) {
    expect(await service.show('ActiveState'), service.unit).toBe('active');
    expect(await inMachine('systemctl', 'is-enabled', service.unit)).toBe('enabled');
  }
  await rig.reports();
  expect(await rig.capabilities()).toContain('ICMP/raw-socket');
});

test('each runs as a separate user, the probe with only CAP_NET_RAW, and can gain no privileges', async () => {
  const [ofController, ofProbe] = [await controller.rights(), await probe.rights()];
  expect(ofProbe).toMatchObject({ onlyNetRaw: true, noNewPrivileges: true });
  expect(ofController).toMatchObject({ noNewPrivileges: true, status: expect.stringMatching(/^CapBnd:\s+0+$/m) as string });
  const users = [...ofController.users, ...ofProbe.users];
  expect(new Set(users).size).toBe(2);
  expect(Math.min(...users)).toBeGreaterThanOrEqual(DYNAMIC_USERS.min);
  expect(Math.max(...users)).toBeLessThanOrEqual(DYNAMIC_USERS.max);
});

test.each([controller, probe])('it can write its own folder and nothing of the system: $unit', async (service) => {
  const sees = ['nsenter', '--mount', '--target', await service.show('MainPID'), 'touch'];
  await inMachine(...sees, `/var/lib/${service.unit.replace('.service', '')}/touched`);
  for (const path of ['/etc/touched', '/var/lib/touched', '/opt/farwatch/package.json']) {
    await expect(inMachine(...sees, path), path).rejects.toThrow('Read-only file system');
  }
});

test('it restarts after being killed', async () => {
  for (const { unit } of [controller, probe]) {
    await inMachine('systemctl', 'kill', '--kill-whom', 'main', '--signal', 'KILL', unit);
  }
  await rig.connected(2, probe);
  for (const service of [controller, probe]) expect(await service.show('NRestarts'), service.unit).toBe('1');
  await rig.reports();
});

test('it stops in order, and a probe sends its results before', async () => {
  for (const service of [probe, controller]) {
    await inMachine('systemctl', 'stop', service.unit);
    expect(await service.show('ActiveState')).toBe('inactive');
    expect([await service.show('Result'), await service.show('ExecMainStatus')]).toEqual(['success', '0']);
  }
  expect(await probe.log()).toContain('"msg":"stopped"');
});
