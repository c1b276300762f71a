import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ConfigError, type Environment } from './environment.ts';

const CONNECT_TIMEOUT_MS = 5000;
const SECURE_PROTOCOLS = ['https:', 'wss:'];
const VARIABLES: Readonly<Record<string, string>> =
  { 'http:': 'HTTP_PROXY', 'ws:': 'HTTP_PROXY', 'https:': 'HTTPS_PROXY', 'wss:': 'HTTPS_PROXY' };

/** Hosts without brackets. */
export interface Endpoint {
  host: string;
  port: number;
}

export function endpointOf({ protocol, hostname, port }: URL): Endpoint {
  const defaultPort = SECURE_PROTOCOLS.includes(protocol) ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort };
}

/** The proxy for this URL by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which may be lower case. Throws ConfigError. */
export function proxyFor(url: URL, env: Environment = process.env): URL | null {
  const name = VARIABLES[url.protocol];
  if (name === undefined) return null;
  const proxy = settingOf(env, name);
  if (proxy === '' || isExcluded(endpointOf(url), settingOf(env, 'NO_PROXY'))) return null;
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!/^https?:/.test(address) || !URL.canParse(address)) {
    throw new ConfigError([`${name} must be an address that starts with http:// or https://`]);
  }
  return new URL(address);
}

function settingOf(env: Environment, name: string): string {
  return (env[name.toLowerCase()] ?? env[name] ?? '').trim();
}

/** By a list of names with their subdomains, addresses and ranges, each with an optional port, or `*`. */
function isExcluded({ host, port }: Endpoint, list: string): boolean {
  return list.toLowerCase().split(/[\s,]+/).filter((entry) => entry !== '').some((entry) => {
    if (entry === '*' || entry === host) return true;
    if (entry.includes('/')) return isInRange(host, entry);
    const [, name = '', ownPort] = /^\*?\.?\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
    if (ownPort !== undefined && Number(ownPort) !== port) return false;
    return host === name || host.endsWith(`.${name}`);
  });
}

function isInRange(host: string, range: string): boolean {
  const [base = '', bits] = range.split('/');
  const family = isIPv6(base) ? 'ipv6' : 'ipv4';
  if (isIP(host) === 0 || isIP(base) !== isIP(host)) return false;
  const list = new BlockList();
  list.addSubnet(base, Number(bits), family);
  return list.check(host, family);
}

/** A connection to the endpoint through the proxy. Rejects if it doesn't open in time. */
export function openTunnel(proxy: URL, { host, port }: Endpoint, signal?: AbortSignal): Promise<Socket> {
  const target = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const login = [proxy.username, proxy.password].map(decodeURIComponent).join(':');
  const authorization = login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
  const options: RequestOptions = {
    ...endpointOf(proxy), method: 'CONNECT', path: target, headers: { host: target, ...authorization }, agent: false,
    timeout: CONNECT_TIMEOUT_MS, signal,
  };
  return new Promise((resolve, reject) => {
    const request = proxy.protocol === 'https:' ? requestHttps(options) : requestHttp(options);
    request.on('timeout', () => request.destroy(new Error(`no response from the proxy ${proxy.host}`)));
    request.on('error', reject);
    request.on('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket.setTimeout(0));
      socket.destroy();
      return reject(new Error(`the proxy ${proxy.host} refused a connection to ${target} (status ${statusCode})`));
    });
    request.end();
  });
}

type Done = (error: Error | null, socket?: Socket) => void;

/** Options of a request, also of a WebSocket's, for its proxy; none without one. */
export function proxyOptions(url: URL): { createConnection?: (options: unknown, done: Done) => undefined } {
  const proxy = proxyFor(url);
  if (proxy === null) return {};
  const endpoint = endpointOf(url);
  const secure = (socket: Socket): Socket => {
    const servername = isIP(endpoint.host) === 0 ? endpoint.host : '';
    return SECURE_PROTOCOLS.includes(url.protocol) ? connectTls({ socket, host: endpoint.host, servername }) : socket;
  };
  return {
    createConnection: (_options, done) => {
      openTunnel(proxy, endpoint).then((socket) => done(null, secure(socket)), done);
      return undefined;
    },
  };
}
