import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { programFile } from '../bundle.mjs';
import { allArrived } from '../helpers/all-arrived.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { RAW_STREAM } from '../../shared/contracts/subjects.ts';
import { createLog } from '../../shared/log.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { makeCertificate, type Certificate } from '../helpers/certificate.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { readLedger, slotFaults } from '../helpers/ledger.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { startNatsCluster, type NatsCluster } from '../helpers/nats-cluster.ts';
import { natsPrograms } from '../helpers/nats-programs.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';

const INTERVAL_SECONDS = 1;
const MONITORS = 5;
/** The server logs why each connection ends, and gives clients as long as a probe takes at most to leave. */
const LAME_DUCK = 'debug: true, lame_duck_duration: "30s", lame_duck_grace_period: "4s"\n';
const kinds: [string, () => Certificate | null][] = [
  ['in the clear', () => null], ['over TLS', () => makeCertificate({ names: ['localhost'] })],
];

describe.runIf(natsPrograms().newest).each(fewOrAll(kinds.slice(0, 1), kinds))("an operator's cluster of three NATS servers, %s", (_name, certificate) => {
  let dir: string;
  let cluster: NatsCluster;
  let store: TestMongo;
  let target: Target;
  let session: ApiSession;
  let controller: ControllerProcess;
  let probe: ProbeProcess;
  let startProbe: (name: string, env?: Record<string, string>) => Promise<ProbeProcess>;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'farwatch-cluster-test-'));
    [cluster, store, target] = await Promise.all([startNatsCluster(certificate(), (text) => `${text}${LAME_DUCK}`), testMongo(), startTarget()]);
    const [controllerBundle, probeBundle] = [await programFile('controller'), await programFile('probe')];
    const port = await freePort();
    const trust = { NODE_EXTRA_CA_CERTS: cluster.certFile };
    controller = await ControllerProcess.start(controllerBundle, {
      ...trust, PORT: String(port), DATA_DIR: join(dir, 'controller'), MONGODB_URL: store.url, LOG_LEVEL: 'info',
      NATS_URL: cluster.url, NATS_CREDS: cluster.controllerCreds, MIN_INTERVAL_SECONDS: '1', RATE_LIMIT: '1000000',
    });
    const url = `http://127.0.0.1:${port}`;
    session = await new ApiSession(url).begin();
    // Through the controller, as by default. The test of lame-duck mode starts another, which connects directly.
    startProbe = async (name, env) => {
      const { enrolment_token: token } = await session.ok<{ enrolment_token: string }>(
        'POST', '/api/probes', { region_id: 'local', name },
      );
      const started = new ProbeProcess(
        probeBundle, join(dir, name), ['--controller', url, '--token', token], { ...trust, LOG_LEVEL: 'info', ...env },
      );
      await started.connected();
      return started;
    };
    probe = await startProbe('one');
  });
  afterAll(async () => {
    await probe?.end('SIGKILL');
    await controller?.kill9();
    await Promise.all([cluster?.stop(), target?.close()]);
    await store?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function createMonitors(name: string): Promise<{ ids: string[]; paths: string[] }> {
    const paths = Array.from({ length: MONITORS }, (_, at) => `/${name}/${at}`);
    const ids: string[] = [];
    for (const path of paths) {
      const body = { name: path, type: 'HTTP', target: `${target.url}${path}`, interval_seconds: INTERVAL_SECONDS };
      ids.push((await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', body)).monitor.id);
    }
    return { ids, paths };
  }

  async function moreStored(ids: readonly string[], what: string): Promise<void> {
    const totals = async () => Promise.all(ids.map(async (id) => {
      const { data } = await session.call('GET', `/api/monitors/${id}/stats`);
      return Number((data as { total_checks?: number } | undefined)?.total_checks ?? 0);
    }));
    const before = await totals();
    await until(async () => (await totals()).every((total, at) => total > Number(before[at]) + 1), { what });
  }

  /** Ends the checks; each must be stored once. */
  async function expectAllStored({ ids, paths }: { ids: string[]; paths: string[] }): Promise<void> {
    await session.ok('POST', '/api/monitors/bulk', { action: 'pause', monitor_ids: ids });
    await allArrived(session);
    const { byMonitor, holes } = await readLedger(store.url, store.database);
    expect(holes).toEqual([]);
    ids.forEach((id, at) => {
      const results = byMonitor.get(id) ?? [];
      expect(slotFaults(results, INTERVAL_SECONDS * 1000)).toMatchObject({ unexplained: [], doubled: [] });
      expect(results.filter(({ outcome }) => outcome !== 'missed')).toHaveLength(target.countOf(String(paths[at])));
    });
  }

  test('loses no result when each of them is killed in turn', async () => {
    const monitors = await createMonitors('killed');
    await moreStored(monitors.ids, 'results arrive');
    for (let at = 0; at < cluster.size; at += 1) {
      await cluster.kill9(at);
      await moreStored(monitors.ids, `results arrive without server ${at}`);
      await cluster.restart(at);
    }
    await expectAllStored(monitors);
  });

  test('leaves each of them before it stops in lame-duck mode, and loses no result', async () => {
    const direct = await startProbe('direct', { NATS_URL: cluster.url });
    const monitors = await createMonitors('retired');
    await moreStored(monitors.ids, 'results arrive');
    const before = probe.lines.length;
    for (let at = 0; at < cluster.size; at += 1) {
      // A probe's former connection stays open for responses.
      expect((await cluster.retire(at)).filter((line) => line.includes('controller'))).toEqual([]);
      await moreStored(monitors.ids, `results arrive without server ${at}`);
      await cluster.restart(at);
    }
    const messages = [...probe.lines.slice(before), ...direct.lines].map(({ msg }) => msg);
    expect(messages).not.toContain('NATS link down');
    await expectAllStored(monitors);
    await direct.end();
  });

  // The reader is this process, which does not trust the tests' certificates.
  test.runIf(certificate() === null)('keeps the last hour for subscribers when each of them is killed in turn', async () => {
    await session.ok('POST', '/api/subscriptions', { name: 'Archive' });
    const bus = await connectBus({
      url: cluster.url, creds: cluster.controllerCreds, name: 'reader', log: createLog('test', 'silent'),
    });
    const raw = async () => (await bus.jetStream()).streams.info(RAW_STREAM).catch(() => null);
    const areAllCurrent = async () => {
      const others = (await raw())?.cluster?.replicas ?? [];
      return others.length === cluster.size - 1 && others.every(({ current }) => current);
    };
    try {
      for (let at = 0; at < cluster.size; at += 1) {
        await until(areAllCurrent, { what: 'each server has the last hour' });
        const before = await until(async () => {
          const found = await raw();
          return found && found.state.messages > 0 ? found : null;
        }, { what: 'results are in the stream' });
        await cluster.kill9(at);
        await session.ok('POST', '/api/monitors', {
          name: `while ${at} is away`, type: 'HTTP', target: `${target.url}/raw/${at}`, interval_seconds: INTERVAL_SECONDS,
        });
        const after = await until(async () => {
          const found = await raw();
          return found && found.state.last_seq > before.state.last_seq ? found : null;
        }, { what: `results are stored in the stream without server ${at}` });
        expect(after.state.first_seq).toBe(before.state.first_seq);
        await cluster.restart(at);
      }
    } finally {
      await bus.close();
    }
  });

  test('refuses a server that does not know its password', async () => {
    const rogue = spawn(String(natsPrograms().newest?.path), [
      '--addr', '127.0.0.1', '--port', '-1', '--cluster_name', 'farwatch', '--cluster', 'nats://127.0.0.1:-1',
      '--routes', cluster.routeUrl,
    ]);
    let log = '';
    rogue.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    try {
      await until(() => /authorization violation/i.test(log), { what: 'it is refused' });
    } finally {
      rogue.kill('SIGKILL');
    }
  });

  test('refuses a deleted probe at all of its servers', async () => {
    const { probes } = await session.ok<{ probes: { id: string }[] }>('GET', '/api/probes');
    await session.ok('DELETE', `/api/probes/${probes[0]?.id}`);
    const refusals = () => probe.lines.filter(({ msg }) => msg === 'NATS rejects this probe').length;
    await until(() => refusals() >= cluster.size, { what: 'repeated refusals' });
    expect(probe.lines.at(-1)?.msg).not.toBe('NATS link up');
  });
});
