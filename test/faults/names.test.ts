import { afterEach, describe, expect } from 'vitest';
import { startMongoProxy, type FaultProxy } from '../helpers/fault-proxy.ts';
import { passTime } from '../helpers/pass-time.ts';
import { kindsOf, slowest, startRequestLoop } from '../helpers/request-loop.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { requestMonitors } from './database-kills.ts';
import { longFault } from './fault.ts';
import { Load } from './load.ts';
import { NameServer } from './name-server.ts';
import { Parts } from './parts.ts';
import { countResults, outageMs, toOutcome } from './tally.ts';

let names: NameServer;
let smtp: TestSmtpServer;
let database: FaultProxy;
let load: Load<Parts>;
afterEach(async () => {
  await load?.stop();
  await Promise.all([database?.close(), smtp?.stop(), names?.stop()]);
});

async function startNamed(): Promise<void> {
  [names, smtp] = await Promise.all([NameServer.start(), startSmtpServer()]);
  const { within } = names;
  const named = (url: string, name: string) => url.replace('127.0.0.1', `${name}.farwatch.example`);
  load = await Load.on(Parts.start({
    env: { SMTP_URL: named(smtp.url, 'mail'), MAIL_FROM: 'farwatch@example.com' },
    within: { controller: within },
    natsHost: 'nats.farwatch.example',
    throughProxy: async (url) => {
      const proxy = await startMongoProxy(url);
      database = proxy;
      return named(proxy.url, 'database');
    },
  }));
  await load.session.ok('POST', '/api/integrations', {
    name: 'Mail', type: 'email', is_default: true, config: { to: ['on-call@example.com'] },
  });
  await load.farwatch.probe(load.session, 'local', { within });
}

/** The name server receives queries and never responds, or nothing listens on its port. */
const OUTAGES = {
  silent: { begin: () => void (names.isSilent = true), end: () => void (names.isSilent = false) },
  refusing: { begin: () => names.shut(), end: () => names.open() },
};

describe.runIf(process.getuid?.() === 0)('names', () => {
  longFault('F45', 'no name resolves for minutes; the target fails, then all connections break', async () => {
    await startNamed();
    const { farwatch: parts } = load;
    const [steady = ''] = await load.steady(10, 'names');
    const id = await load.createMonitor('/outage', { confirmation_policy: { retries: 0 } });
    await until(async () => (await load.statusOf(id)) === 'up', { what: 'up' });
    const requestLoop = startRequestLoop(() => requestMonitors(load));
    const awayMs = outageMs(20_000, 180_000);
    const recoveryMs: number[] = [];
    for (const [round, { begin, end }] of Object.values(OUTAGES).entries()) {
      await begin();
      load.target.respondWith({ status: 503 }, '/outage');
      await until(() => load.alertsOf(id).length === 2 * round + 1, { what: 'monitor.down' });
      // In the second outage, the mailer knows the address from the first mails.
      if (round === 0) expect(smtp.mails).toEqual([]);
      await parts.nats.restart();
      database.reset();
      const checked = load.countOf(steady);
      await passTime(awayMs);
      expect(load.countOf(steady) - checked, 'checks continue').toBeGreaterThan(awayMs / 2000 - 3);
      load.target.respondWith({ status: 200 }, '/outage');
      await end();
      const backAt = performance.now();
      const stored = await until(() => load.checksOf(steady), { what: 'the API responds', timeoutMs: 120_000 });
      await until(async () => (await load.checksOf(steady)) > stored, { what: 'results are stored' });
      recoveryMs.push(performance.now() - backAt);
      await until(() => load.alertsOf(id).length === 2 * round + 2, { what: 'monitor.up', timeoutMs: 120_000 });
      await until(() => smtp.mails.length === 2 * round + 2, { what: 'both mails', timeoutMs: 120_000 });
    }
    const responses = await requestLoop.end();
    expect(kindsOf(responses)).toEqual(['200', '503 SERVICE_UNAVAILABLE']);
    const refused = responses.filter(({ status }) => status === 503).length;
    expect(Math.min(refused, names.unanswered), 'responses 503 and queries without a response').toBeGreaterThan(0);
    const rounds = recoveryMs.length;
    const opened = (await load.incidents()).length;
    expect(opened).toBe(rounds);
    const results = await countResults(load);
    return toOutcome({
      injected: rounds, results, incidents: { expected: rounds, opened }, recoveryMs,
      alerts: { expected: 4 * rounds, delivered: load.alertsOf(id).length + smtp.mails.length, repeated: 0 },
    }, `away ${awayMs / 1000} s; ${refused} responses 503, slowest ${(slowest(responses) / 1000).toFixed(1)} s; ${names.unanswered} queries unanswered`);
  });
});
