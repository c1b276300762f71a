import { rmSync } from 'node:fs';
import { classify, type DiagnosisInput, type Verdict } from '../../controller/diagnosis/classification-rules.ts';
import type { Observation } from '../../controller/diagnosis/observation-rules.ts';
import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import type { Examination } from '../../shared/contracts/examination.ts';
import { newId } from '../../shared/ids.ts';
import { networkOf } from '../../shared/net-guard.ts';
import { bundleFile } from '../bundle.mjs';
import { buildAssignment, buildPingSpec } from '../unit/probe/build.ts';
import { LineProcess } from './line-process.ts';
import { INSTALLATION, NAME_SERVERS, PROBES, REGIONS, type Network, type Region } from './network.ts';

interface Diagnosis {
  verdicts: Verdict[];
  observations: Observation[];
}

/** The examiners of probes, one per region, and the rules of a controller. */
export class Installation {
  readonly #examiners: ReadonlyMap<Region, LineProcess>;
  #wasCutOff = false;

  private constructor(examiners: ReadonlyMap<Region, LineProcess>) {
    this.#examiners = examiners;
  }

  static async open(network: Network): Promise<Installation> {
    const program = await bundleFile('test/diagnosis/examiner.ts');
    const installation = new Installation(new Map(REGIONS.map((region) => [region, new LineProcess([
      ...network.node(region), program, INSTALLATION.host, String(INSTALLATION.port), ...NAME_SERVERS[region],
    ], { NODE_EXTRA_CA_CERTS: network.authorities })])));
    await installation.#pingPeers();
    rmSync(program, { force: true });
    return installation;
  }

  /**
   * What a controller says about an outage, for each choice of probes that it may ask. `others` are checked at
   * the same time. With `hasMesh`, the probes also ping each other.
   */
  async diagnose(spec: CheckSpec, others: readonly CheckSpec[], hasMesh: boolean): Promise<Diagnosis> {
    const [observations, ...otherObservations] = await Promise.all([spec, ...others].map((one) => this.#examine(one)));
    const all = observations as Observation[];
    const brokenEdges = hasMesh ? await this.#pingPeers() : [];
    const verdicts = choicesOf(all).map((chosen) => classify({
      observations: chosen, is_dns: false, error: chosen[0]?.examination.error ?? null, broken_edges: brokenEdges,
      neighbor: neighborOf(all, otherObservations.flat()),
      others: otherObservations.filter((seen) => seen.some(isDown))
        .map((seen) => ({ monitor_id: newId(Date.now()), observations: seen })),
    }));
    return { verdicts, observations: all };
  }

  /** Resolves once each probe has noticed that it has a network again. */
  async settle(): Promise<void> {
    while (this.#wasCutOff) {
      this.#wasCutOff = false;
      await this.#examine(buildPingSpec(INSTALLATION.host));
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#examiners.values()].map((examiner) => examiner.stop()));
  }

  /** What the probe of each region finds out at the same time. */
  async #examine(spec: CheckSpec): Promise<Observation[]> {
    const seen = await Promise.all(REGIONS.map(async (region) => {
      const examination = await this.#examineFrom(region, spec);
      if (examination === null) throw new Error(`The probe in ${region} examines nothing`);
      return { region, label: region, network: null, probe_id: region, examination };
    }));
    this.#wasCutOff ||= seen.some(({ examination }) => !examination.has_network);
    return seen;
  }

  #examineFrom(region: Region, spec: CheckSpec): Promise<Examination | null> {
    const examiner = this.#examiners.get(region) as LineProcess;
    return examiner.ask<Examination | null>(buildAssignment({ spec }));
  }

  async #pingPeers(): Promise<DiagnosisInput['broken_edges']> {
    const pairs = REGIONS.flatMap((from) => REGIONS.filter((to) => to !== from).map((to) => ({ from, to })));
    const pings = await Promise.all(pairs.map(async ({ from, to }) => {
      const seen = await this.#examineFrom(from, buildPingSpec(PROBES[to]));
      return seen?.sees === 'up' ? [] : [{ from_probe: from, to_probe: to }];
    }));
    return pings.flat();
  }
}

const isDown = ({ examination }: Observation): boolean => examination.sees === 'down';

/**
 * Which probes a controller may ask: one that sees the target down and any other, then all if none sees it up.
 * The first is what it asks if it knows the state of each region.
 */
function choicesOf(seen: Observation[]): Observation[][] {
  const up = seen.filter((one) => !isDown(one));
  const pairs = seen.filter(isDown).flatMap((one) => up.map((other) => [one, other]));
  return [...pairs, seen];
}

/** Another address in the network of the target that responds to checks of other monitors. */
function neighborOf(seen: readonly Observation[], others: readonly Observation[]): string | null {
  const own = seen.flatMap(({ examination }) => examination.addresses);
  const networks = own.map(networkOf);
  const responding = others.filter((one) => !isDown(one))
    .flatMap(({ examination }) => examination.connections.filter(({ state }) => state === 'open'));
  return responding.find(({ address }) => !own.includes(address) && networks.includes(networkOf(address)))?.address ?? null;
}
