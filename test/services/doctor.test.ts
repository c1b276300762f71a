import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHECK_NAMES, type CheckName } from '../../deploy/command/doctor/check.ts';
import { startEmbeddedMongo, type EmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { VERSION } from '../../shared/version.ts';
import { programFile } from '../bundle.mjs';
import { FakeTime, fakeTimeLibrary } from '../faults/fake-time.ts';
import { startCalloutServer } from '../helpers/callout-server.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { runDoctor, type DoctorRun } from '../helpers/doctor.ts';
import { startFaultProxy } from '../helpers/fault-proxy.ts';
import { startMailgunServer } from '../helpers/mailgun-server.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { startUnauthorizedProxy } from '../helpers/unauthorized-proxy.ts';
import { until } from '../helpers/until.ts';
import { ensureDebianPackages } from './packages.ts';

/** Without root, disks cannot be mounted and name servers not replaced: these tests are then left out. */
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const MAX_MS = 30_000;
const DAY_MS = 86_400_000;

let dir = '';
let store: EmbeddedMongo;
let storePort = 0;
let controllerBundle = '';
let nats: TestNats;
let smtp: TestSmtpServer;
let web: Server;
let env: Record<string, string> = {};

/** With a certificate for `localhost` that ends after so many days. */
async function startWeb(days: number): Promise<{ server: Server; settings: Record<string, string> }> {
  const certificate = makeCertificate({ names: ['localhost'], notBefore: Date.now() - 100 * DAY_MS, notAfter: Date.now() + days * DAY_MS });
  const server = createTlsServer(certificate, (_request, response) => void response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const file = join(dir, `authority-${days}.pem`);
  writeFileSync(file, certificate.cert);
  const { port } = server.address() as AddressInfo;
  return { server, settings: { BASE_URL: `https://localhost:${port}`, NODE_EXTRA_CA_CERTS: file } };
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fw-doctor-'));
  storePort = await freePort();
  // The first run would build it.
  controllerBundle = await programFile('controller');
  [store, nats, smtp] = await Promise.all([
    startEmbeddedMongo({ dir: join(dir, 'store'), port: storePort }), startNats({ jetStream: true }), startSmtpServer(),
  ]);
  const { server, settings } = await startWeb(90);
  web = server;
  mkdirSync(join(dir, 'data'), { mode: 0o700 });
  env = {
    ...settings, DATA_DIR: join(dir, 'data'), PORT: String(await freePort()), MAIL_FROM: 'farwatch@farwatch.example',
    MONGODB_URL: `mongodb://127.0.0.1:${storePort}/farwatch`, NATS_URL: nats.url, NATS_CREDS: nats.controllerCreds, SMTP_URL: smtp.url,
  };
});
afterAll(async () => {
  web?.close();
  await Promise.all([store?.stop(), nats?.stop(), smtp?.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

/** Runs the doctor while one thing is wrong. It must blame these checks and no other, and say what to do. */
async function diagnose(
  blamed: CheckName[], settings: Record<string, string> = {}, through: readonly string[] = [],
): Promise<DoctorRun['checks']> {
  const { exitCode, ok, checks, problems, tookMs } = await runDoctor({ ...env, ...settings }, through);
  expect(problems, JSON.stringify(checks, null, 2)).toEqual(CHECK_NAMES.filter((name) => blamed.includes(name)));
  for (const name of blamed) expect(checks[name].hint).toMatch(/^[A-Z].*[.]$/s);
  const hasFailed = Object.values(checks).some(({ status }) => status === 'failed');
  expect({ ok, exitCode }).toEqual({ ok: !hasFailed, exitCode: hasFailed ? 1 : 0 });
  expect(tookMs).toBeLessThan(MAX_MS);
  return checks;
}

/** A file system at a new folder while `use` runs. */
async function onMount(mount: (at: string) => void, use: (at: string) => Promise<void>): Promise<void> {
  const at = mkdtempSync(join(dir, 'mount-'));
  mount(at);
  try {
    await use(at);
  } finally {
    execFileSync('umount', [at]);
  }
}

const mountDisk = (options: string) => (at: string) => void execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=700,${options}`, 'tmpfs', at]);

test('nothing is wrong', async () => {
  const checks = await diagnose([]);
  expect(checks.database.message).toBe('MongoDB responds; 0 running controllers');
  expect(checks.clock.message).toContain('NATS');
});

test('the clock is wrong', async () => {
  const library = await fakeTimeLibrary();
  if (library === null) throw new Error('this test needs the Debian package libfaketime');
  for (const [offsetSeconds, status] of [[40, 'failed'], [-3, 'warning']] as const) {
    const time = new FakeTime(library, offsetSeconds);
    const { clock } = await diagnose(['clock'], time.env);
    time.remove();
    expect(clock).toMatchObject({ status, message: expect.stringContaining(offsetSeconds > 0 ? 'ahead of' : 'behind') as string });
  }
});

test('the clock differs from that of a web server on another address', async () => {
  const address = Object.values(networkInterfaces()).flatMap((all) => all ?? []).find(({ internal, family }) => !internal && family === 'IPv4');
  const server = createServer((_request, response) => {
    response.setHeader('Date', new Date(Date.now() + 90_000).toUTCString()).end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  // Those on this host would be wrong together with the host.
  const isElsewhere = address !== undefined;
  const { clock } = await diagnose(isElsewhere ? ['clock'] : [], { BASE_URL: `http://${address?.address ?? '127.0.0.1'}:${port}` });
  server.close();
  if (isElsewhere) expect(clock).toMatchObject({ status: 'failed', message: expect.stringMatching(/(?:89|90|91) s behind that of/) as string });
});

test('a certificate has expired, or will soon', async () => {
  for (const [days, status, text] of [[-1, 'failed', 'expired on'], [9, 'warning', 'expires in']] as const) {
    const { server, settings } = await startWeb(days);
    const { certificates } = await diagnose(['certificates'], settings);
    server.close();
    expect(certificates).toMatchObject({ status, message: expect.stringContaining(text) as string });
  }
});

test('the certificate of NATS has expired', async () => {
  const tls = makeCertificate({ names: ['localhost'], notBefore: Date.now() - 9 * DAY_MS, notAfter: Date.now() - DAY_MS });
  const secure = await startNats({ jetStream: true, tls });
  const settings = { NATS_URL: secure.url.replace('nats://127.0.0.1', 'tls://localhost'), NATS_CREDS: secure.controllerCreds };
  const checks = await diagnose(['nats', 'nats_permissions', 'certificates'], settings);
  await secure.stop();
  expect(checks.certificates.message).toContain('The certificate of localhost (NATS_URL) expired on');
});

test('a certificate is for another name, or of an unknown authority', async () => {
  const byAddress = env['BASE_URL']?.replace('localhost', '127.0.0.1') ?? '';
  expect((await diagnose(['certificates'], { BASE_URL: byAddress })).certificates.message).toContain('is for another name');
  expect((await diagnose(['certificates'], { NODE_EXTRA_CA_CERTS: '' })).certificates.message).toContain('is not trusted');
});

test('the port of the database, of NATS or of the mail server is closed', async () => {
  const port = await freePort();
  const database = await diagnose(['database', 'database_operations'], { MONGODB_URL: `mongodb://127.0.0.1:${port}` });
  expect(database.database).toMatchObject({ status: 'failed', message: expect.stringContaining('refuses connections') as string });
  const bus = await diagnose(['nats', 'nats_permissions'], { NATS_URL: `nats://127.0.0.1:${port}` });
  expect(bus.nats).toMatchObject({ status: 'failed', message: expect.stringContaining(`does not respond at 127.0.0.1:${port}`) as string });
  const mail = await diagnose(['mail'], { SMTP_URL: `smtp://127.0.0.1:${port}` });
  expect(mail.mail).toMatchObject({ status: 'failed', message: expect.stringContaining('No connection') as string });
});

test('one server of a NATS cluster is gone', async () => {
  const { nats: finding } = await diagnose(['nats'], { NATS_URL: `${nats.url},nats://127.0.0.1:${await freePort()}` });
  expect(finding.status).toBe('warning');
});

test('database, NATS and mail server accept connections and do not respond', async () => {
  const port = (url: string) => ({ port: Number(new URL(url).port) });
  const proxies = await Promise.all([{ port: storePort }, port(nats.url), port(smtp.url)].map((to) => startFaultProxy(to)));
  for (const proxy of proxies) proxy.drop();
  const [toStore, toNats, toMail] = proxies.map((proxy) => `127.0.0.1:${proxy.port}`);
  const checks = await diagnose(['database', 'database_operations', 'nats', 'nats_permissions', 'mail'], {
    MONGODB_URL: `mongodb://${toStore}`, NATS_URL: `nats://${toNats}`, SMTP_URL: `smtp://${toMail}`,
  });
  expect(checks.mail.message).toContain('No connection to the mail server');
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

test('another program has the port of the API', async () => {
  const { port } = web.address() as AddressInfo;
  expect((await diagnose(['ports'], { HOST: '::', PORT: String(port) })).ports).toMatchObject({
    status: 'failed', message: `Another program listens on ::, port ${port}`,
  });
});

test('the NATS user lacks permissions', async () => {
  const permissions = 'permissions: { publish: { deny: ["assign.>", "run.>"] }, subscribe: { deny: "results.>" } }';
  const restricted = await startNats({
    jetStream: true, configure: (text) => text.replace(/users: \[ \{ nkey: (\w+) \} \]/, `users: [ { nkey: $1, ${permissions} } ]`),
  });
  const settings = { NATS_URL: restricted.url, NATS_CREDS: restricted.controllerCreds };
  expect((await diagnose(['nats_permissions'], settings)).nats_permissions).toMatchObject({
    status: 'failed', message: "The controllers' NATS user may not publish assign.>, run.>, and may not subscribe to results.>",
  });
  const refused = await diagnose(['nats', 'nats_permissions'], { NATS_URL: restricted.url });
  expect(refused.nats.message).toContain("refuses the controller's credentials");
  await restricted.stop();
});

test('the database user has no rights', async () => {
  const proxy = await startUnauthorizedProxy(storePort);
  const { database_operations: operations } = await diagnose(['database_operations'], { MONGODB_URL: proxy.url });
  await proxy.close();
  expect(operations).toMatchObject({ status: 'failed', message: expect.stringContaining('lacks rights') as string });
  const narrow = await startUnauthorizedProxy(storePort, 'farwatch_doctor');
  await diagnose([], { MONGODB_URL: narrow.url });
  await narrow.close();
});

test('the mail server refuses the recipient, now or for good', async () => {
  for (const [code, status] of [[550, 'failed'], [450, 'warning']] as const) {
    await smtp.behave({ code, text: 'relaying denied', at: 'rcpt' });
    expect((await diagnose(['mail'])).mail).toMatchObject({ status, message: expect.stringContaining(`${code} relaying denied`) as string });
  }
  await smtp.behave('accept');
  const wrong = await diagnose(['mail'], { SMTP_URL: smtp.url.replace('//', '//user:wrong@') });
  expect(wrong.mail.message).toContain('refuses the user or password');
  expect(smtp.mails).toEqual([]);
});

test('Mailgun refuses the key', async () => {
  const mailgun = await startMailgunServer();
  const settings = { MAILGUN_URL: mailgun.url, MAILGUN_API_KEY: 'key', MAILGUN_DOMAIN: 'farwatch.example' };
  mailgun.fail(400, 'to parameter is not a valid address. please check documentation');
  await diagnose([], settings);
  mailgun.fail(401, 'Forbidden');
  expect((await diagnose(['mail'], settings)).mail).toMatchObject({ status: 'failed', message: 'Mailgun refuses the key (401)' });
  await mailgun.close();
});

test('nothing is wrong with a NATS server that asks the controllers who may connect', async () => {
  const callout = await startCalloutServer();
  if (callout === null) return;
  await diagnose([], { NATS_URL: callout.url, NATS_CREDS: callout.controllerCreds ?? '' });
  await callout.stop();
});

describe.runIf(isRoot)('as root on Linux', () => {
  test('the disk is read-only', () => onMount(mountDisk('ro,size=1g'), async (at) => {
    expect((await diagnose(['data_dir'], { DATA_DIR: at })).data_dir).toMatchObject({
      status: 'failed', message: `${at} is on a disk that is mounted read-only`,
    });
  }));

  test('the disk is full', () => onMount(mountDisk('size=80m'), async (at) => {
    expect((await diagnose(['disk'], { DATA_DIR: at })).disk.status).toBe('warning');
    const { bavail, bsize } = statfsSync(at);
    writeFileSync(join(at, 'ballast'), Buffer.alloc(bavail * bsize));
    expect((await diagnose(['disk'], { DATA_DIR: at })).disk).toMatchObject({
      status: 'failed', message: 'The disk is full: 0 MB of 80 MB are free',
    });
  }));

  describe('the data is on a network file system', () => {
    const pidFile = () => join(dir, 'sftp.pid');
    const mountNetwork = (at: string) => {
      const server = join(dir, 'sftp-server');
      writeFileSync(server, `#!/bin/sh\necho $$ > ${pidFile()}\nexec /usr/lib/openssh/sftp-server\n`);
      chmodSync(server, 0o755);
      const shared = mkdtempSync(join(dir, 'shared-'));
      execFileSync('sshfs', ['-o', `ssh_command=${server}`, `server:${shared}`, at]);
    };
    beforeAll(() => ensureDebianPackages('sshfs', 'openssh-sftp-server'));

    test('that works', () => onMount(mountNetwork, async (at) => {
      const message = `${at} is on a network file system (fuse.sshfs)`;
      // The database is elsewhere, so only locks suffer.
      expect((await diagnose(['data_dir'], { DATA_DIR: at })).data_dir).toMatchObject({ status: 'warning', message });
      const withStore = await runDoctor({ ...env, DATA_DIR: at, MONGODB_URL: '' });
      expect(withStore.checks.data_dir).toMatchObject({ status: 'failed', message });
    }));

    test('whose server hangs', () => onMount(mountNetwork, async (at) => {
      const pid = Number(readFileSync(pidFile(), 'utf8'));
      process.kill(pid, 'SIGSTOP');
      try {
        expect((await diagnose(['data_dir', 'disk'], { DATA_DIR: at })).data_dir).toMatchObject({
          status: 'failed', message: `The file system of ${at} (fuse.sshfs) does not respond`,
        });
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    }));
  });

  test('no name server responds', async () => {
    const file = join(dir, 'resolv.conf');
    // Of the addresses for documentation: whatever is sent there is lost.
    writeFileSync(file, 'nameserver 192.0.2.1\nnameserver 192.0.2.2\n');
    const script = `mount --bind ${file} /etc/resolv.conf && exec "$@"`;
    const checks = await diagnose(['dns', 'database', 'database_operations', 'nats', 'nats_permissions', 'certificates', 'mail'], {
      BASE_URL: 'https://farwatch.example', MONGODB_URL: 'mongodb://database.example', NATS_URL: 'nats://nats.example',
      SMTP_URL: 'smtp://mail.example',
    }, ['unshare', '--mount', 'sh', '-c', script, 'sh']);
    expect(checks.dns.message).toBe(
      'No name server responds properly about farwatch.example (BASE_URL), database.example (MONGODB_URL), '
        + 'nats.example (NATS_URL, NATS_PUBLIC_URL), mail.example (SMTP_URL)',
    );
  });
});

describe('several controllers', () => {
  const start = async (name: string, bundle: string) => ControllerProcess.start(bundle, {
    ...env, DATA_DIR: join(dir, name), PORT: String(await freePort()),
  });

  test('two with the same id, and one of an older version', async () => {
    const first = await start('one', controllerBundle);
    expect((await diagnose([])).database.message).toBe('MongoDB responds; 1 running controller');
    mkdirSync(join(dir, 'two'));
    copyFileSync(join(dir, 'one', 'controller-id'), join(dir, 'two', 'controller-id'));
    const second = await start('two', controllerBundle);
    // On a busy machine, one of them may not announce itself while it is watched.
    await until(async () => {
      expect((await diagnose(['data_dir'])).data_dir).toMatchObject({
        status: 'failed', message: expect.stringContaining('Two running controllers have the id') as string,
      });
      return true;
    }, { what: 'the doctor sees both' });
    await Promise.all([first.kill9(), second.kill9()]);

    const older = join(controllerBundle, '..', 'controller-of-doctor-test.mjs');
    writeFileSync(older, readFileSync(controllerBundle, 'utf8').replaceAll(`"${VERSION}"`, '"0.9.0"'));
    const third = await start('three', older);
    expect((await diagnose(['database'])).database).toMatchObject({
      status: 'warning', message: `Controllers of other versions run on this database: 0.9.0; this is ${VERSION}`,
    });
    await third.kill9();
    rmSync(older);
  });
});
