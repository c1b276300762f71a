import type { IncomingMessage } from 'node:http';
import type { Expected, MonitorBody, Scenario } from '../scenario.ts';
import {
  endlessHead, late, noResponse, partial, redirectChain, redirectLoop, stalledBody, status,
} from '../targets/http-faults.ts';
import { onlyIf, type Responder } from '../targets/web-site.ts';
import { ABROAD_ADDRESS, zoneName, type World } from '../world.ts';

const down = (type: string): Expected => ({ event: 'monitor.down', type, layer: 'response' });
const STATUS = down('status_code');
const BROKEN = down('connection_error');
const TIMEOUT = down('timeout');

const isHead = ({ method }: IncomingMessage): boolean => method === 'HEAD';
const isGet = ({ method }: IncomingMessage): boolean => method === 'GET';

/** A monitor of the scenario's page. */
const monitor = (name: string, settings: object = {}) => (world: World): MonitorBody => ({
  type: 'HTTP', target: world.site.url(name), ...settings,
});

function fault(name: string, responder: Responder, expected: Expected, settings: object = {}): Scenario {
  return {
    name, expected, detector: monitor(name, settings),
    toggle: (world, isOn) => world.site.set(name, isOn ? responder : null),
  };
}

/** HEAD works and GET doesn't, so a HEAD check notices nothing. */
function getOnly(name: string, responder: Responder, expected: Expected): Scenario {
  return {
    ...fault(name, onlyIf(isGet, responder), expected),
    bystanders: { HEAD: monitor(name, { method: 'HEAD' }) },
  };
}

/** A trap: the page works, but HEAD requests suggest that it doesn't. */
function headOnly(name: string, responder: Responder, expected: Expected): Scenario {
  return {
    ...fault(name, onlyIf(isHead, responder), expected, { method: 'HEAD' }),
    bystanders: { GET: monitor(name) },
  };
}

const HEADER = { 'x-bench': 'header-status' };
const isAbroad = ({ socket }: IncomingMessage): boolean => socket.localAddress === ABROAD_ADDRESS;

export const HTTP: readonly Scenario[] = [
  fault('http-503', status(503), STATUS),
  {
    ...fault('http-geo-503', onlyIf(isAbroad, status(503)), { ...STATUS, regions: 'abroad' }),
    detector: (world) => ({
      type: 'HTTP', target: world.site.url('http-geo-503', zoneName('http-geo-503')),
      monitoring_regions: world.regions, confirmation_policy: { regions: 'any', retries: 1 },
    }),
    bystanders: { 'at home': monitor('http-geo-503') },
  },
  getOnly('http-head-200-get-503', status(503), STATUS),
  getOnly('http-head-200-get-partial', partial, BROKEN),
  getOnly('http-head-200-get-redirect-loop', redirectLoop, STATUS),
  getOnly('http-head-200-get-timeout', noResponse, TIMEOUT),
  headOnly('http-head-405-get-200', status(405), STATUS),
  headOnly('http-head-timeout-get-200', noResponse, TIMEOUT),
  {
    ...fault(
      'http-header-status', onlyIf(({ headers }) => headers['x-bench'] === HEADER['x-bench'], status(503)),
      STATUS, { headers: HEADER },
    ),
    bystanders: { 'without the header': monitor('http-header-status') },
  },
  fault(
    'http-latency-threshold', late, { event: 'monitor.slow_response', type: 'slow_response', layer: null },
    { timeout_ms: 10_000, slow_response_threshold_ms: 2000 },
  ),
  fault('http-partial', partial, BROKEN),
  fault('http-redirect-chain', redirectChain(15), STATUS),
  fault('http-redirect-loop', redirectLoop, STATUS),
  fault('http-timeout-body', stalledBody, TIMEOUT),
  fault('http-timeout-total', endlessHead, TIMEOUT),
  fault('http-timeout-ttfb', noResponse, TIMEOUT),
];
