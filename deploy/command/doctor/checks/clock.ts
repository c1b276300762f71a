import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isLoopback } from '../../../../shared/net-guard.ts';
import { combine, failed, NOT_CHECKED, warning, type Check, type Finding } from '../check.ts';
import type { DoctorContext } from '../context.ts';

const WARNING_MS = 1000;
/** Due times that controllers share, such as those of retries and heartbeats, are off by as much. */
const FAILED_MS = 5000;
const MAX_JUMP_MS = 500;
const TIMEOUT_MS = 4000;
/** Where the search for servers that know domains begins, unless DOMAIN_LOOKUPS is false. */
const IANA = 'https://data.iana.org/rdap/dns.json';
/** Between a controller's reading of its clock and the moment at which the database shows it. */
const MAX_WRITE_MS = 600;

/** The clock of another host, or of a server on this one. */
export interface OtherClock {
  name: string;
  /** Its time minus ours, ms. */
  offsetMs: number;
  precisionMs: number;
  /** Shows nothing about the time if the host's clock is wrong for all. */
  isOnThisHost: boolean;
}

export const checkClock: Check = async (context) => {
  const { clock, settings } = context;
  if (settings === null) return NOT_CHECKED;
  const offset = () => clock.now() - clock.monotonic();
  const offsetBefore = offset();
  const lists = await Promise.all(
    [databaseClock, natsClocks, controllerClocks, webClocks].map((read) => read(context)),
  );
  return judgeClocks(lists.flat(), offset() - offsetBefore);
};

export function judgeClocks(others: readonly OtherClock[], jumpMs: number): Finding {
  const findings: Finding[] = [];
  if (Math.abs(jumpMs) > MAX_JUMP_MS) {
    findings.push(warning(
      `The clock of this host jumped by ${seconds(jumpMs)} while it was checked`,
      'Let only one program set the clock, by small steps: chrony or systemd-timesyncd. In a virtual machine, turn off the clock synchronization of its host.',
    ));
  }
  const excess = ({ offsetMs, precisionMs }: OtherClock) => Math.abs(offsetMs) - precisionMs;
  const off = others.filter((other) => excess(other) > WARNING_MS);
  for (const { name, offsetMs } of off) {
    const message = `The clock of this host is ${seconds(offsetMs)} ${offsetMs < 0 ? 'ahead of' : 'behind'} that of ${name}`;
    const hint = off.length === others.length && others.length > 1
      ? 'Set the clock of this host: timedatectl set-ntp true, or chronyc makestep.'
      : `Set both clocks by NTP: timedatectl set-ntp true, or chronyc makestep, on this host and on that of ${name}.`;
    findings.push(Math.abs(offsetMs) > FAILED_MS ? failed(message, hint) : warning(message, hint));
  }
  if (others.length === 0) return combine(findings, 'There is no other clock to compare with');
  const remark = others.every(({ isOnThisHost }) => isOnThisHost) ? '; there is none on another host to compare with' : '';
  return combine(findings, `The clock agrees with ${others.map(({ name }) => name).join(', ')}${remark}`);
}

function seconds(ms: number): string {
  return `${(Math.abs(ms) / 1000).toFixed(Math.abs(ms) < 10_000 ? 1 : 0)} s`;
}

async function databaseClock({ database }: DoctorContext): Promise<OtherClock[]> {
  const connected = await database.connect().catch(() => null);
  const localTime: unknown = connected?.hello['localTime'];
  if (connected === null || !(localTime instanceof Date)) return [];
  return [{ ...between('the database', localTime.getTime(), connected.helloAt), isOnThisHost: connected.isOnThisHost }];
}

/** Servers state their time when they list their connections. */
async function natsClocks({ nats, clock }: DoctorContext): Promise<OtherClock[]> {
  const lists = await Promise.all((await nats.contacts()).map(async ({ address, connection }) => {
    if (connection === null) return [];
    const from = clock.now();
    const response = await connection.request('nats.connections', JSON.stringify({ limit: 1 }), { timeout: TIMEOUT_MS }).catch(() => null);
    const time = response === null ? NaN : Date.parse(serverTimeIn(response.string()));
    const isOnThisHost = isLoopback(address.replace(/:\d+$/, ''));
    return Number.isNaN(time) ? [] : [{ ...between(`NATS (${address})`, time, { from, to: clock.now() }), isOnThisHost }];
  }));
  return lists.flat();
}

function serverTimeIn(text: string): string {
  return /"time":"(\d{4}-[^"]{10,40})"/.exec(text)?.[1] ?? '';
}

async function controllerClocks({ controllers }: DoctorContext): Promise<OtherClock[]> {
  return (await controllers.live()).map(({ id, renewals }) => {
    const clocks = renewals.map(({ at, after, before }) =>
      between(`controller ${id.slice(0, 8)}`, at, { from: after - MAX_WRITE_MS, to: before }));
    clocks.sort((one, other) => one.precisionMs - other.precisionMs);
    return { ...clocks[0] as Omit<OtherClock, 'isOnThisHost'>, isOnThisHost: id === controllers.ownId };
  });
}

/** Web servers state their time in whole seconds. */
async function webClocks({ settings, hosts, clock }: DoctorContext): Promise<OtherClock[]> {
  if (settings === null) return [];
  const { http: { baseUrl }, mail: { mailgun }, domains } = settings.controller;
  const urls = [baseUrl, mailgun?.url ?? null, domains.isLookupEnabled ? IANA : null]
    .flatMap((url) => (url === null ? [] : [new URL(url)]))
    .filter(({ hostname }) => !isLoopback(hostname));
  const lists = await Promise.all(urls.map(async (url) => {
    if (await hosts.failureOf(url.hostname) !== null) return [];
    const from = clock.now();
    const date = Date.parse(await dateHeaderOf(url) ?? '');
    if (Number.isNaN(date)) return [];
    const { name, offsetMs, precisionMs } = between(url.hostname, date + 500, { from, to: clock.now() });
    return [{ name, offsetMs, precisionMs: precisionMs + 500, isOnThisHost: false }];
  }));
  return lists.flat();
}

function between(name: string, time: number, { from, to }: { from: number; to: number }) {
  return { name, offsetMs: time - (from + to) / 2, precisionMs: (to - from) / 2 };
}

/** Null without a response. Trusts any certificate: to a wrong clock, valid ones have expired. */
function dateHeaderOf(url: URL): Promise<string | null> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const sent = request(url, { method: 'HEAD', rejectUnauthorized: false, timeout: TIMEOUT_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.headers.date ?? null);
    });
    sent.on('timeout', () => sent.destroy()).on('error', () => resolve(null)).end();
  });
}
