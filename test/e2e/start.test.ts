import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../helpers/certificate.ts';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { findPrograms } from '../../deploy/quickstart/servers/programs.ts';
import { makeFarwatch, startFarwatch, type Farwatch, type FarwatchRole } from '../helpers/farwatch.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const STORE: FarwatchRole = findPrograms('mongod', process.env).length > 0 ? 'mongod' : 'embedded-mongo';
const ROLES: FarwatchRole[] = ['controller', 'nats-server', 'probe', 'quickstart', STORE];

describe('an installation', () => {
  let farwatch: Farwatch;
  let session = '';
  let treeBefore: string[] = [];

  beforeAll(async () => {
    treeBefore = treeOf(ROOT);
    farwatch = await makeFarwatch();
  });
  afterAll(() => farwatch.stop());

  test('starts in an empty directory, logs ready once, and writes nowhere else', async () => {
    await farwatch.start();
    const ready = lines(farwatch.log()).filter((line) => line.msg === 'ready');
    expect(ready).toHaveLength(1);
    expect(ready[0]).toMatchObject({ url: farwatch.url });
    expect(Object.keys(farwatch.pids())).toEqual(expect.arrayContaining(ROLES));
    expect((await fetch(`${farwatch.url}/readyz`)).status).toBe(200);
    expect(treeOf(ROOT)).toEqual(treeBefore);
    expect(statSync(farwatch.dataDir).mode & 0o077, 'only the owner can read the data directory').toBe(0);
  });

  test('makes the first account the operator', async () => {
    const { status, data } = await post(`${farwatch.url}/api/auth/register`, ACCOUNT);
    expect(status).toBe(201);
    session = String(data['token']);
    expect(
      (await post(`${farwatch.url}/api/auth/register`, { ...ACCOUNT, email: 'second@example.com' })).status,
    ).toBe(403);
  });

  test('stops with exit code 0 when the signal reaches every process at once', async () => {
    const pids = Object.values(farwatch.pids());
    expect(await farwatch.end(() => pids.forEach((pid) => process.kill(pid, 'SIGINT')))).toBe(0);
    expect(farwatch.pids()).toEqual({});
  });

  test('keeps its data across a restart', async () => {
    await farwatch.start();
    expect((await get(`${farwatch.url}/api/auth/me`, session)).status).toBe(200);
    expect((await post(`${farwatch.url}/api/auth/login`, LOGIN)).status).toBe(200);
    const probes = lines(farwatch.log()).filter((line) => line.msg === 'connected' && line.name === 'probe');
    expect(new Set(probes.map((line) => line.probe)).size, 'the probe keeps its identity').toBe(1);
  });

  test('stops the processes that a killed quickstart left behind', async () => {
    await farwatch.kill9('quickstart');
    await farwatch.start();
    expect(Object.keys(farwatch.pids())).toEqual(expect.arrayContaining(ROLES));
    expect((await get(`${farwatch.url}/api/auth/me`, session)).status).toBe(200);
  });

  test('keeps its data after kill -9 of every process', async () => {
    await farwatch.kill9All();
    await farwatch.start();
    expect((await get(`${farwatch.url}/api/auth/me`, session)).status).toBe(200);
  });

  test('refuses a second start in its data directory and keeps running', async () => {
    const before = farwatch.pids();
    const { code, output } = await runStart({ DATA_DIR: farwatch.dataDir, PORT: '0' });
    expect(code).toBe(2);
    expect(output).toContain(`Another Farwatch (process ${before.quickstart}) is using ${farwatch.dataDir}`);
    expect(farwatch.pids()).toEqual(before);
  });

  describe('beside another one, which `npm start` starts with a certificate', () => {
    let other: Farwatch;
    let port: number;
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-tls-'));
    beforeAll(async () => {
      const certificate = makeCertificate({ names: ['nats.example'] });
      const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
      writeFileSync(certFile, certificate.cert);
      writeFileSync(keyFile, certificate.key);
      port = await freePort();
      const env = {
        NATS_LISTEN: `127.0.0.1:${port}`, NATS_TLS_CERT: certFile, NATS_TLS_KEY: keyFile,
        NATS_PUBLIC_URL: `tls://nats.example:${port}`,
      };
      other = await startFarwatch({ env, command: ['npm', 'start'] });
    });
    afterAll(async () => {
      await other?.stop();
      rmSync(dir, { recursive: true });
    });

    test('NATS accepts remote probes over TLS and the local processes still connect', async () => {
      expect(Object.keys(other.pids())).toEqual(expect.arrayContaining(ROLES));
      const greeting = await new Promise<string>((done) => {
        const socket = connect(port, '127.0.0.1');
        socket.once('data', (chunk) => {
          socket.destroy();
          done(chunk.toString());
        });
      });
      expect(JSON.parse(greeting.slice('INFO '.length))).toMatchObject({ tls_available: true });
    });

    test('it has its own accounts and processes', async () => {
      expect((await post(`${other.url}/api/auth/login`, LOGIN)).status).toBe(401);
      expect((await post(`${other.url}/api/auth/register`, ACCOUNT)).status).toBe(201);
      await other.replaced('nats-server', await other.kill9('nats-server'));
      expect((await get(`${farwatch.url}/api/auth/me`, session)).status).toBe(200);
    });

    test('it stops and leaves no process behind when only `npm start` gets SIGTERM', async () => {
      expect(await other.end()).toBe(0);
      expect(other.pids()).toEqual({});
      expect((await fetch(`${farwatch.url}/readyz`)).status).toBe(200);
    });
  });

  test('stops when only the quickstart gets SIGTERM', async () => {
    expect(await farwatch.end()).toBe(0);
    expect(farwatch.pids()).toEqual({});
  });
});

describe('an impossible start', () => {
  const dirs: string[] = [];
  const dataDir = () => {
    dirs.push(mkdtempSync(join(tmpdir(), 'farwatch-bad-')));
    return join(dirs.at(-1) as string, 'data');
  };
  afterEach(() => dirs.splice(0).forEach((dir) => rmSync(dir, { recursive: true })));

  test('reports every wrong setting of controller and probe together and leaves no files', async () => {
    const dir = dataDir();
    const env = {
      DATA_DIR: dir, PORT: 'http', RATE_LIMIT: '0', PROBE_ALLOW_PRIVATE: 'perhaps', LOG_LEVEL: 'loud',
      NATS_LISTEN: '4222',
    };
    expect(await runStart(env)).toEqual({
      code: 2,
      output: [
        'Farwatch cannot start: 5 settings are invalid',
        '  PORT must be a whole number from 0 to 65535, not "http"',
        '  NATS_LISTEN must be host:port, for example 0.0.0.0:4222, not "4222"',
        '  PROBE_ALLOW_PRIVATE must be true or false, not "perhaps"',
        '  RATE_LIMIT must be a whole number from 1 to 1000000000, not "0"',
        '  LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"',
        '',
      ].join('\n'),
    });
    expect(existsSync(dir)).toBe(false);
  });

  test('names the variable to change when its port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
    const port = (taken.address() as { port: number }).port;
    const { code, output } = await runStart({ DATA_DIR: dataDir(), PORT: String(port) });
    taken.close();
    expect(code).toBe(1);
    expect(output).toContain(
      `Cannot listen on 127.0.0.1, port ${port}: the port is in use. Set PORT to another value.`,
    );
  });

  test('refuses to expose an old nats-server to other machines and says why', async () => {
    const dir = dataDir();
    const bin = join(dir, '..');
    writeFileSync(join(bin, 'nats-server'), '#!/bin/sh\necho nats-server: v2.9.10\n', { mode: 0o755 });
    writeFileSync(join(bin, 'go'), '#!/bin/sh\necho go version go1.19.8 linux/amd64\n', { mode: 0o755 });
    const env = {
      DATA_DIR: dir, PORT: '0', NATS_LISTEN: '0.0.0.0:42229', PATH: `${bin}:/usr/sbin:/usr/bin:/bin`,
      HOME: bin, GOBIN: bin,
    };
    const { code, output } = await runStart(env);
    expect(code).toBe(1);
    expect(output)
      .toContain(
        'NATS_LISTEN opens NATS to other machines, which needs nats-server 2.10.27 or newer: older versions have known vulnerabilities',
      );
    expect(output).toContain('Go 1.19.8 is too old');
  });

  test('refuses a data directory that cannot be written to, in one line', async () => {
    const dir = dataDir();
    writeFileSync(dir, 'a file');
    const { code, output } = await runStart({ DATA_DIR: join(dir, 'data'), PORT: '0' });
    expect(code).toBe(2);
    expect(output).toBe(`${dir}/data is not a directory. Set DATA_DIR to another one\n`);
  });

  test('rejects unknown arguments', async () => {
    const { code, output } = await runStart({ DATA_DIR: dataDir() }, ['--prob']);
    expect(code).toBe(2);
    expect(output).toContain("unknown option '--prob'");
  });
});

const LOGIN = { email: 'first@example.com', password: 'correct horse battery' };
const ACCOUNT = { ...LOGIN, name: 'First' };

interface LogLine {
  msg?: string;
  name?: string;
  url?: string;
  probe?: string;
}

function lines(log: string): LogLine[] {
  return log.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
}

/** Files of the checkout that belong neither to packages nor to git. */
function treeOf(dir: string): string[] {
  return readdirSync(dir).filter((name) => name !== 'node_modules' && name !== '.git').sort();
}

/** Runs farwatch until it exits; returns its output without the progress lines. */
function runStart(
  env: Record<string, string>, args: string[] = [],
): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    const child = spawn(
      process.execPath, [join(ROOT, 'deploy/command/farwatch.mjs'), ...args],
      { env: cleanEnvironment(env), timeout: 300_000 },
    );
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdout.resume();
    child.once('close', (code) => done({ code, output }));
  });
}

async function post(url: string, body: unknown): Promise<{ status: number; data: Record<string, unknown> }> {
  const response = await fetch(
    url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const payload = (await response.json()) as { data?: Record<string, unknown> };
  return { status: response.status, data: payload.data ?? {} };
}

function get(url: string, token: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${token}` } });
}
