import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ConfigError, type Environment } from './environment.ts';
import { endpointOf, parsedUrl, type Endpoint } from './net-guard.ts';

const CONNECT_TIMEOUT_MS = 5000;
const SECURE_PROTOCOLS = ['https:', 'wss:'];
const VARIABLES: Readonly<Record<string, string>> =
  { 'http:': 'HTTP_PROXY', 'ws:': 'HTTP_PROXY', 'https:': 'HTTPS_PROXY', 'wss:': 'HTTPS_PROXY' };
const EXCEPTIONS = 'NO_PROXY';

/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in lower case or upper case. */
export type ProxyVariables = Environment;

/** Their values in `env`. */
export function proxyVariables(env: Environment): ProxyVariables {
  const names = [...new Set(Object.values(VARIABLES)), EXCEPTIONS];
  const spellings = names.flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(spellings.map((name) => [name, env[name]]));
}

/** The proxy for this URL. Throws ConfigError if the variable holds no address of one. */
export function proxyFor(url: URL, env: ProxyVariables): URL | null {
  const name = VARIABLES[url.protocol];
  if (name === undefined) return null;
  const proxy = settingOf(env, name);
  if (proxy === '' || isExcluded(endpointOf(url), settingOf(env, EXCEPTIONS))) return null;
  const address = parsedUrl(proxy.includes('://') ? proxy : `http://${proxy}`);
  if (address !== null && /^https?:$/.test(address.protocol)) return address;
  throw new ConfigError([`${name} must be an address that starts with http:// or https://`]);
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
    request.on('connect', ({ statusCode }, socket: Socket, head: Buffer) => {
      if (statusCode === 200) {
        socket.unshift(head);
        return resolve(socket.setTimeout(0));
      }
      socket.destroy();
      return reject(new Error(`the proxy ${proxy.host} refused a connection to ${target} (status ${statusCode})`));
    });
    request.end();
  });
}

interface ProxyOptions {
  createConnection?(options: unknown, done: (error: Error | null, socket?: Socket) => void): undefined;
}

/** Options of a request, also of a WebSocket's, for its proxy; none without one. */
export function proxyOptions(url: URL, env: ProxyVariables): ProxyOptions {
  const proxy = proxyFor(url, env);
  if (proxy === null) return {};
  const endpoint = endpointOf(url);
  const { host } = endpoint;
  const secure = (socket: Socket): Socket => {
    if (!SECURE_PROTOCOLS.includes(url.protocol)) return socket;
    return connectTls({ socket, host, servername: isIP(host) === 0 ? host : '' });
  };
  return {
    createConnection: (_options, done) => {
      openTunnel(proxy, endpoint).then((socket) => done(null, secure(socket)), done);
      return undefined;
    },
  };
}
