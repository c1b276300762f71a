import type { HostAndPort } from '../../../../shared/setting.ts';
import { respondsAsNats } from '../../../quickstart/servers/nats-server.ts';
import { listenFailure, localAddress } from '../../../quickstart/servers/ports.ts';
import { combine, failed, NOT_CHECKED, warning, type Check, type Finding } from '../check.ts';
import type { DoctorContext } from '../context.ts';

const RESPONSE_TIMEOUT_MS = 3000;

export interface PortState extends HostAndPort {
  /** The setting to change. */
  hostVariable: string;
  portVariable: string;
  /** Error code of listening there; null if that is possible. */
  refusal: string | null;
  /** Whether what listens there is of the kind that this installation would start. */
  isFarwatch: boolean;
  /** Whether this installation runs what would listen there. */
  isRunning: boolean;
}

export const checkPorts: Check = async (context) => {
  const { settings } = context;
  if (settings === null) return NOT_CHECKED;
  const { http, nats } = settings.controller;
  const isRunning = await isControllerRunning(context);
  const states: Promise<PortState>[] = [];
  // Port 0 stands for any free one.
  if (http.port !== 0) {
    states.push(stateOf(http, ['HOST', 'PORT'], isRunning, (at) => responds(at, '/healthz', /"status":"ok"/)));
  }
  if (http.metrics.listen !== null) {
    const respondsAsMetrics = (at: HostAndPort) => responds(at, '/metrics', /farwatch_|UNAUTHORIZED/);
    states.push(stateOf(http.metrics.listen, ['METRICS_LISTEN', 'METRICS_LISTEN'], isRunning, respondsAsMetrics));
  }
  if (nats.listen !== null && !settings.hasNats) {
    states.push(stateOf(nats.listen, ['NATS_LISTEN', 'NATS_LISTEN'], context.running.has('nats-server'), respondsAsNats));
  }
  return judgePorts(await Promise.all(states));
};

export function judgePorts(states: readonly PortState[]): Finding {
  const findings = states.flatMap((state) => judgePort(state) ?? []);
  const held = states.filter(({ refusal }) => refusal !== null).map(({ port }) => port);
  const free = states.filter(({ refusal }) => refusal === null).map(({ port }) => port);
  const parts = [held.length > 0 ? `held by this Farwatch: ${held.join(', ')}` : '', free.length > 0 ? `free: ${free.join(', ')}` : ''];
  return combine(findings, `Ports ${parts.filter(Boolean).join('; ') || 'are chosen when Farwatch starts'}`);
}

function judgePort(state: PortState): Finding | null {
  const { host, port, hostVariable, portVariable, refusal, isFarwatch, isRunning } = state;
  const where = `${host}, port ${port}`;
  switch (refusal) {
    case null:
      return isRunning
        ? warning(`Farwatch runs, but does not listen on ${where}`, `Give this command the ${portVariable} that Farwatch has, or look into its log.`)
        : null;
    case 'EADDRINUSE':
      if (isFarwatch && isRunning) return null;
      return failed(
        `${isFarwatch ? 'Another Farwatch' : 'Another program'} listens on ${where}`,
        `Stop it (ss -ltnp 'sport = :${port}' shows its process), or set ${portVariable} to another port.`,
      );
    case 'EACCES':
      return failed(
        `This user may not listen on ${where}`,
        `Set ${portVariable} to a port from 1024 on and put a proxy in front, or give Node.js the capability CAP_NET_BIND_SERVICE.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return failed(`This host does not have the address ${host}`, `Set ${hostVariable} to an address of this host, or to 0.0.0.0 for all.`);
    default:
      return failed(`Cannot listen on ${where} (${refusal})`, `Set ${portVariable} to another value.`);
  }
}

type Responds = (at: HostAndPort) => Promise<boolean>;

async function stateOf(
  { host, port }: HostAndPort, [hostVariable, portVariable]: [string, string], isRunning: boolean,
  respondsAsOurs: Responds,
): Promise<PortState> {
  const refusal = await listenFailure(host, port);
  const isFarwatch = refusal === 'EADDRINUSE' && await respondsAsOurs({ host, port });
  return { host, port, hostVariable, portVariable, refusal, isFarwatch, isRunning };
}

/** By the processes of `farwatch start`, or by the id of a controller that runs by itself. */
async function isControllerRunning({ running, controllers }: DoctorContext): Promise<boolean> {
  if (running.has('controller')) return true;
  return (await controllers.live()).some(({ id }) => id === controllers.ownId);
}

async function responds(at: HostAndPort, path: string, pattern: RegExp): Promise<boolean> {
  try {
    const response = await fetch(`http://${localAddress(at)}${path}`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    return pattern.test(await response.text());
  } catch {
    return false;
  }
}
