import { runReply, type RunOrder } from '../../shared/contracts/assignment.ts';
import { decodeJson } from '../../shared/contracts/decode-json.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { BusError, type Bus } from '../platform/bus/bus-port.ts';
import { isEnrolled, type ProbeDoc } from '../probes/probe.ts';
import type { EnvelopeSealer } from './envelope.ts';

/** `unreachable`: no probe took the order; `timeout`: one may have taken it; `refused`: an invalid answer. */
type RunOutcome = { result: CheckResult } | { failure: 'unreachable' | 'timeout' | 'refused' };

interface RunSenderDeps {
  bus: Bus;
  sealer: EnvelopeSealer;
  findProbe(probeId: string): Promise<ProbeDoc | null>;
}

export class RunSender {
  readonly #deps: RunSenderDeps;

  constructor(deps: RunSenderDeps) {
    this.#deps = deps;
  }

  /** Has a probe make one check now. Never rejects for what a probe or the network does. */
  async run(region: string, probeId: string, order: RunOrder, timeoutMs: number): Promise<RunOutcome> {
    const { bus, sealer, findProbe } = this.#deps;
    const probe = await findProbe(probeId);
    if (!probe || !isEnrolled(probe) || probe.region_id !== region) return { failure: 'unreachable' };
    try {
      const reply = await bus.request(subjects.run(region, probeId), sealer.run(probe, order), { timeoutMs });
      const result = decodeJson(runReply, reply)?.result;
      return result?.monitor_id === order.assignment.monitor_id ? { result } : { failure: 'refused' };
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      return { failure: error.failure === 'timeout' ? 'timeout' : 'unreachable' };
    }
  }
}
