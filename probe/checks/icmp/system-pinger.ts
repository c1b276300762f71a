import { spawn } from 'node:child_process';
import { isIPv6 } from 'node:net';
import PQueue from 'p-queue';
import { sleep, type Clock } from '../../../shared/time.ts';
import { readPingOutput } from './ping-output.ts';
import { planPing, unsent, type Pinger, type PingReport, type PingRequest } from './pinger.ts';
import { returned, sendFault } from './ping-problems.ts';

/** Maximum concurrent processes of checks; further pings are queued. */
const MAX_PROCESSES = 32;
const MAX_OUTPUT_LENGTH = 65_536;
/** Minimum interval that `ping` allows ordinary users. */
const MIN_INTERVAL_MS = 200;
/** A `ping` that doesn't end on SIGINT is killed after this time. */
const KILL_AFTER_MS = 200;
const PROBE_TIMEOUT_MS = 2000;
/** Passes on nothing of this process's environment, which holds secrets; sets English messages. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

type Arguments = (request: PingRequest) => string[] | null;

const common = ({ count, size, plan, address }: PingRequest, ttl: string[]): string[] => [
  '-n', '-c', String(count), '-s', String(size), ...ttl, '-W', String(Math.ceil(plan.responseTimeoutMs / 1000)),
  '-i', String(Math.max(plan.intervalMs, MIN_INTERVAL_MS) / 1000), address,
];

/** By the name `ping` reports; null for requests it doesn't support. */
const VARIANTS: readonly (readonly [RegExp, Arguments])[] = [
  [/iputils/, (request) => common(request, ['-t', String(request.ttl), ...(request.isWhole ? ['-M', 'do'] : [])])],
  [/BusyBox/, (request) => (request.isWhole ? null : common(request, ['-t', String(request.ttl)]))],
  // Its ping6 supports no intervals below a second.
  [/inetutils/, (request) => (
    request.isWhole || isIPv6(request.address) ? null : common(request, [`--ttl=${request.ttl}`])
  )],
];

/** Pings with the system's `ping`, one process per address. */
export class SystemPinger implements Pinger {
  readonly method = 'ping';
  readonly #program: string;
  readonly #argumentsFor: Arguments;
  readonly #clock: Clock;
  readonly #processes: PQueue;

  constructor(program: string, argumentsFor: Arguments, clock: Clock, maxProcesses = MAX_PROCESSES) {
    this.#processes = new PQueue({ concurrency: maxProcesses });
    this.#program = program;
    this.#argumentsFor = argumentsFor;
    this.#clock = clock;
  }

  /** Pings the same way with processes of its own, so that neither waits for the other. */
  separate(maxProcesses: number): SystemPinger {
    return new SystemPinger(this.#program, this.#argumentsFor, this.#clock, maxProcesses);
  }

  ping(request: PingRequest): Promise<PingReport> {
    const args = this.#argumentsFor(request);
    if (!args) return Promise.resolve(unsent('unsupported'));
    return new Promise((resolve) => {
      let hasGivenUp = false;
      const timer = this.#clock.setTimer(request.maxQueueMs, () => {
        hasGivenUp = true;
        resolve(unsent('overload'));
      });
      void this.#processes.add(async () => {
        if (hasGivenUp) return;
        timer.cancel();
        const { count, plan } = request;
        const intervalMs = Math.max(plan.intervalMs, MIN_INTERVAL_MS);
        const durationMs = intervalMs * (count - 1) + plan.responseTimeoutMs;
        const result = await runPing(this.#program, args, durationMs, this.#clock);
        resolve(reportOf(result, count));
      });
    });
  }
}

/** This machine's `ping`, after a successful ping of loopback; null without a working one. */
export async function findSystemPinger(clock: Clock, program = 'ping'): Promise<SystemPinger | null> {
  const { stdout, stderr } = await runPing(program, ['-V'], PROBE_TIMEOUT_MS, clock);
  const variant = VARIANTS.find(([name]) => name.test(stdout + stderr));
  if (!variant) return null;
  const pinger = new SystemPinger(program, variant[1], clock);
  const { rttsMs } = await pinger.ping({
    address: '127.0.0.1', count: 1, size: 56, ttl: 64, plan: planPing(1, PROBE_TIMEOUT_MS, PROBE_TIMEOUT_MS),
    maxQueueMs: PROBE_TIMEOUT_MS,
  });
  return rttsMs.length > 0 ? pinger : null;
}

function reportOf({ stdout, stderr, code }: ProcessResult, count: number): PingReport {
  if (code === 'ENOENT' || code === 'EACCES') return unsent('unsupported');
  if (code !== null) return unsent('overload');
  const { rttsMs, sent, returned: back } = readPingOutput(stdout);
  if (rttsMs.length > 0 || back) {
    return { sent: sent ?? count, rttsMs, problem: back && returned(back.why, back.from) };
  }
  // For example `ping: sendmsg: Operation not permitted` or `ping: connect: Network is unreachable`.
  const errorText = stderr.split('\n', 1)[0]?.split(': ').at(-1)?.trim().replace(/^message too long, mtu.*/, 'Message too long');
  return { sent: sent ?? count, rttsMs, problem: errorText ? sendFault(errorText) : null };
}

interface ProcessResult {
  stdout: string;
  stderr: string;
  /** Why the program could not be started; null if it was. */
  code: string | null;
}

/** Runs a program without a shell until it exits, times out or produces too much output. Never rejects. */
function runPing(program: string, args: string[], timeoutMs: number, clock: Clock): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const output = { stdout: '', stderr: '' };
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT });
    const end = async (): Promise<void> => {
      // On SIGINT it prints its summary first.
      child.kill('SIGINT');
      await sleep(clock, KILL_AFTER_MS);
      child.kill('SIGKILL');
    };
    const timer = clock.setTimer(timeoutMs, () => void end());
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('latin1').on('data', (text: string) => {
        if (output[name].length + text.length <= MAX_OUTPUT_LENGTH) output[name] += text;
        else child.kill('SIGKILL');
      });
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      timer.cancel();
      resolve({ ...output, code: error.code ?? 'UNKNOWN' });
    });
    child.on('close', () => {
      timer.cancel();
      resolve({ ...output, code: null });
    });
  });
}
