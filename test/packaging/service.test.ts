import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../helpers/until.ts';
import { commandsOf, MACHINE_IMAGE as NAME, podman, shell } from './podman.ts';
import { PackagingRig, rightsIn } from './rig.ts';

const UNIT = 'farwatch-probe.service';
/** The range of users that systemd allocates for services. */
const DYNAMIC_USERS = { min: 61_184, max: 65_519 };
let rig: PackagingRig;

const inMachine = (...command: string[]) => podman('exec', '--workdir', '/src', NAME, ...command);
const show = (property: string) => inMachine('systemctl', 'show', '--value', '--property', property, UNIT);
const log = () => inMachine('journalctl', '--unit', UNIT, '--output', 'cat', '--no-pager');

beforeAll(async () => {
  rig = await PackagingRig.start();
  await podman('build', '--tag', NAME, '--file', 'test/packaging/machine.Containerfile', '.');
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
  await shell(`podman exec --interactive --workdir /src ${NAME} sh -e <<'SCRIPT'\n${commandsOf(UNIT, rig)}\nSCRIPT`);
});
afterAll(() => rig?.stop());

const probe = { log, hasEnded: async () => ['failed', 'inactive'].includes(await show('ActiveState')) };

test('a service enrols with its token and reports results', async () => {
  await rig.connected(1, probe);
  expect(await show('ActiveState')).toBe('active');
  expect(await inMachine('systemctl', 'is-enabled', UNIT)).toBe('enabled');
  await rig.reports();
  expect(await rig.capabilities()).toContain('ICMP/raw-socket');
});

test('it runs as a separate user with only CAP_NET_RAW and can gain no privileges', async () => {
  const { users, ...rights } = rightsIn(await inMachine('cat', `/proc/${await show('MainPID')}/status`));
  expect(rights).toEqual({ onlyNetRaw: true, noNewPrivileges: true });
  expect(users).toHaveLength(1);
  expect(users[0]).toBeGreaterThanOrEqual(DYNAMIC_USERS.min);
  expect(users[0]).toBeLessThanOrEqual(DYNAMIC_USERS.max);
});

test('it can write its own folder and nothing of the system', async () => {
  const sees = ['nsenter', '--mount', '--target', await show('MainPID'), 'touch'];
  await inMachine(...sees, '/var/lib/farwatch-probe/touched');
  for (const path of ['/etc/touched', '/var/lib/touched', '/opt/farwatch-probe/probe.mjs']) {
    await expect(inMachine(...sees, path), path).rejects.toThrow('Read-only file system');
  }
});

test('it restarts after being killed', async () => {
  await inMachine('systemctl', 'kill', '--kill-whom', 'main', '--signal', 'KILL', UNIT);
  await rig.connected(2, probe);
  expect(await show('NRestarts')).toBe('1');
  await rig.reports();
});

test('it sends its results before it stops', async () => {
  await inMachine('systemctl', 'stop', UNIT);
  expect(await show('ActiveState')).toBe('inactive');
  expect([await show('Result'), await show('ExecMainStatus')]).toEqual(['success', '0']);
  expect(await log()).toContain('"msg":"stopped"');
});
