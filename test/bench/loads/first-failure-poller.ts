import { Resolver } from 'node:dns';
import { request, type RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

interface PollerOptions {
  targets: { name: string; url: string }[];
  intervalMs: number;
  timeoutMs: number;
  nameServer: string;
  /** PEM. */
  roots: string;
  /** Where failures are posted. */
  receiver: string;
  forMs: number;
}

/** A poller that alerts on the first failure of each target, without confirmation or storage. */
export async function firstFailurePoller(options: Record<string, unknown>): Promise<{ posted: number }> {
  const { targets, intervalMs, forMs, ...rest } = options as unknown as PollerOptions;
  const timers: NodeJS.Timeout[] = [];
  let posted = 0;
  const poll = poller(rest);
  for (const { name, url } of targets) {
    let isPosted = false;
    const check = async (): Promise<void> => {
      if (isPosted || (await poll(url)) || isPosted) return;
      isPosted = true;
      posted += 1;
      const body = JSON.stringify({ monitor: { name }, incident: { started_at: 0 } });
      await fetch(rest.receiver, { method: 'POST', body });
    };
    timers.push(setTimeout(() => {
      void check();
      timers.push(setInterval(() => void check(), intervalMs));
    }, Math.random() * intervalMs));
  }
  process.stdout.write('ready\n');
  await new Promise((resolve) => setTimeout(resolve, forMs));
  for (const timer of timers) clearTimeout(timer);
  return { posted };
}

/** Whether a GET over a fresh connection gets a 2xx response in time. */
function poller(
  { timeoutMs, nameServer, roots }: Pick<PollerOptions, 'timeoutMs' | 'nameServer' | 'roots'>,
): (url: string) => Promise<boolean> {
  const resolver = new Resolver();
  resolver.setServers([nameServer]);
  const lookup: LookupFunction = (host, { all }, done) => resolver.resolve4(host, (error, addresses = []) => {
    if (error) done(error, '', 4);
    else if (all) done(null, addresses.map((address) => ({ address, family: 4 })));
    else done(null, addresses[0] as string, 4);
  });
  return (url) => new Promise((resolve) => {
    const settings: RequestOptions = { agent: false, lookup, signal: AbortSignal.timeout(timeoutMs) };
    const outgoing = url.startsWith('https:')
      ? secureRequest(url, { ...settings, ca: roots })
      : request(url, settings);
    outgoing.on('error', () => resolve(false));
    outgoing.on('response', (response) => {
      response.resume();
      response.on('error', () => undefined);
      resolve(response.statusCode === 200);
    });
    outgoing.end();
  });
}
