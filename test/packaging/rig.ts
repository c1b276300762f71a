import { expect } from 'vitest';
import { ApiSession } from '../helpers/api-session.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';

/** The bit of CAP_NET_RAW in /proc/PID/status. */
const NET_RAW = (1n << 13n).toString(16).padStart(16, '0');
const CHECKED_OFTEN = 2;

interface Monitor {
  id: string;
}

export interface PackagedProbe {
  log(): Promise<string>;
  hasEnded(): Promise<boolean>;
}

/** A region of an installation with one probe. */
export class PackagingRig {
  readonly url: string;
  readonly token: string;
  readonly probeId: string;
  readonly #target: Target;
  readonly #session: ApiSession;
  readonly #monitors: Monitor[];

  private constructor(
    url: string, target: Target, session: ApiSession, probe: { id: string; token: string }, monitors: Monitor[],
  ) {
    this.url = url;
    this.token = probe.token;
    this.probeId = probe.id;
    this.#target = target;
    this.#session = session;
    this.#monitors = monitors;
  }

  /** The region has an HTTP and an ICMP monitor. */
  static async start(url: string): Promise<PackagingRig> {
    const target = await startTarget();
    const session = await new ApiSession(url).begin();
    await session.ok('POST', '/api/regions', { id: 'packaged', name: 'Packaged', city: 'Oslo', country: 'NO' });
    const { probe, enrolment_token: token } = await session.ok<{ probe: { id: string }; enrolment_token: string }>(
      'POST', '/api/probes', { region_id: 'packaged', name: 'packaged-1' },
    );
    const monitors: Monitor[] = [];
    for (const [type, address] of [['HTTP', target.url], ['ICMP', '127.0.0.1']]) {
      const settings = { name: type, type, target: address, interval_seconds: 2, monitoring_regions: ['packaged'] };
      monitors.push((await session.ok<{ monitor: Monitor }>('POST', '/api/monitors', settings)).monitor);
    }
    return new PackagingRig(url, target, session, { id: probe.id, token }, monitors);
  }

  /** Waits until the packaged probe has connected `times` times in total; rejects if it ends before. */
  async connected(times: number, probe: PackagedProbe): Promise<void> {
    const connections = async () => (await probe.log()).split('\n').filter((line) => line.includes('"msg":"connected"'));
    await until(async () => await probe.hasEnded() || (await connections()).length >= times, {
      what: 'the probe connects', everyMs: 250,
    });
    const seen = await connections();
    if (seen.length < times) throw new Error(`the probe has ended:\n${await probe.log()}`);
    expect(seen.map((line) => JSON.parse(line) as unknown))
      .toEqual(Array.from({ length: times }, () => expect.objectContaining({ probe: this.probeId })));
  }

  /** Resolves when the probe has reported new successes of each monitor. */
  async reports(): Promise<void> {
    await Promise.all(this.#monitors.map(async ({ id }) => {
      const before = await this.#successesOf(id);
      await until(async () => (await this.#successesOf(id)) >= before + CHECKED_OFTEN, {
        what: 'the probe reports successes', everyMs: 250,
      });
    }));
  }

  /** 0 while the API has no statistics. */
  async #successesOf(id: string): Promise<number> {
    const { data } = await this.#session.call('GET', `/api/monitors/${id}/stats`);
    return Number(data?.['total_checks'] ?? 0) - Number(data?.['failed_checks'] ?? 0);
  }

  async capabilities(): Promise<string[]> {
    const { probes } =
      await this.#session.ok<{ probes: { id: string; capabilities: string[] }[] }>('GET', '/api/probes');
    return probes.find(({ id }) => id === this.probeId)?.capabilities ?? [];
  }

  stop(): Promise<void> {
    return this.#target.close();
  }
}

/** A process's users and capabilities, from /proc/PID/status. */
export function rightsIn(status: string): { users: number[]; onlyNetRaw: boolean; noNewPrivileges: boolean } {
  const valueOf = (name: string) => new RegExp(`^${name}:\\s+(.+)$`, 'm').exec(status)?.[1] ?? '';
  return {
    users: [...new Set(valueOf('Uid').split(/\s+/).map(Number))],
    onlyNetRaw: ['CapPrm', 'CapEff', 'CapBnd'].every((kind) => valueOf(kind) === NET_RAW),
    noNewPrivileges: valueOf('NoNewPrivs') === '1',
  };
}
