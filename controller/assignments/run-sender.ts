import { runReply, type RunOrder } from '../../shared/contracts/assignment.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { BusError, type Bus } from '../platform/bus/bus-port.ts';
import { isEnrolled, type ProbeDoc } from '../probes/probe.ts';
import type { EnvelopeSealer } from './envelope.ts';

/** `unreachable`: nobody took the order; `timeout`: taken or lost, nobody knows; `refused`: an answer that is none. */
export type RunOutcome = { result: CheckResult } | { failure: 'unreachable' | 'timeout' | 'refused' };

export interface RunPort {
  /** Has one check made now. Never rejects for what a probe or the network does. */
  run(region: string, probeId: string, order: RunOrder, timeoutMs: number): Promise<RunOutcome>;
}

export interface RunSenderDeps {
  bus: Bus;
  sealer: EnvelopeSealer;
  findProbe(probeId: string): Promise<ProbeDoc | null>;
}

export class RunSender implements RunPort {
  readonly #deps: RunSenderDeps;

  constructor(deps: RunSenderDeps) {
    this.#deps = deps;
  }

  async run(region: string, probeId: string, order: RunOrder, timeoutMs: number): Promise<RunOutcome> {
    const probe = await this.#deps.findProbe(probeId);
    if (!probe || !isEnrolled(probe) || probe.region_id !== region) return { failure: 'unreachable' };
    const envelope = this.#deps.sealer.run({ probeId, boxKey: probe.box_key }, order);
    try {
      const reply = await this.#deps.bus.request(subjects.run(region, probeId), envelope, { timeoutMs });
      const result = readReply(reply);
      return result?.monitor_id === order.assignment.monitor_id ? { result } : { failure: 'refused' };
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      return { failure: error.failure === 'timeout' ? 'timeout' : 'unreachable' };
    }
  }
}

function readReply(data: Uint8Array): CheckResult | null {
  try {
    const parsed = runReply.safeParse(JSON.parse(Buffer.from(data).toString('utf8')));
    return parsed.success ? parsed.data.result : null;
  } catch {
    return null;
  }
}
