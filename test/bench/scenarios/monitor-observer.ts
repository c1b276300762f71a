import type { ApiSession } from '../../helpers/api-session.ts';
import { startReceiver, type Receiver } from '../../helpers/receiver.ts';
import { until } from '../../helpers/until.ts';
import type { MonitorBody } from './scenario.ts';
import type { ReceivedAlert } from './score.ts';

/** Long enough for a check on a busy machine. */
const DEFAULTS = { interval_seconds: 10, timeout_ms: 5000 };

interface ResultView {
  outcome: string;
  error: { type: string; layer?: string; message: string } | null;
}

/** The monitors of all scenarios and their alerts. */
export class MonitorObserver {
  readonly #session: ApiSession;
  readonly #receiver: Receiver;

  private constructor(session: ApiSession, receiver: Receiver) {
    this.#session = session;
    this.#receiver = receiver;
  }

  static async start(session: ApiSession): Promise<MonitorObserver> {
    const receiver = await startReceiver();
    await session.ok(
      'POST', '/api/integrations',
      { name: 'On call', type: 'webhook', is_default: true, config: { url: receiver.url } },
    );
    return new MonitorObserver(session, receiver);
  }

  /** Creates a monitor; resolves to its id. */
  async add(name: string, regions: readonly string[], body: MonitorBody): Promise<string> {
    const { monitor } = await this.#session.ok<{ monitor: { id: string } }>(
      'POST', '/api/monitors', { name, monitoring_regions: regions, ...DEFAULTS, ...body },
    );
    return monitor.id;
  }

  /** Alerts of a monitor so far, in order. */
  alerts(id: string): ReceivedAlert[] {
    return this.#receiver.requests.flatMap(({ body, at }) => {
      const { event, monitor } = JSON.parse(String(body)) as { event: string; monitor: { id: string } };
      return monitor.id === id ? [{ event, at }] : [];
    });
  }

  async status(id: string): Promise<string> {
    const { monitor } =
      await this.#session.ok<{ monitor: { runtimeStatus: string } }>('GET', `/api/monitors/${id}`);
    return monitor.runtimeStatus;
  }

  /** Checks by the monitor's regions since then. */
  async results(id: string, since: number, until = Date.now()): Promise<ResultView[]> {
    const { results } = await this.#session.ok<{ results: ResultView[] }>(
      'GET', `/api/monitors/${id}/results?from=${since}&to=${until}`,
    );
    return results.filter(({ outcome }) => outcome !== 'missed');
  }

  /** The first incident of a monitor. */
  async incident(id: string): Promise<{ type: string; regions: string[] } | null> {
    const { incidents } = await this.#session.ok<{ incidents: { type: string; affected_regions: string[] }[] }>(
      'GET', `/api/incidents?check_id=${id}`,
    );
    const first = incidents.at(-1);
    return first ? { type: first.type, regions: first.affected_regions } : null;
  }

  /** Whether `condition` holds for every id within `timeoutMs`. */
  async holds(
    ids: readonly string[], condition: (id: string) => boolean | Promise<boolean>, timeoutMs: number,
  ): Promise<boolean> {
    let remaining = [...ids];
    const done = async (): Promise<boolean> => {
      const pending: string[] = [];
      for (const id of remaining) if (!(await condition(id))) pending.push(id);
      remaining = pending;
      return remaining.length === 0;
    };
    return until(done, { timeoutMs, everyMs: 500 }).then(() => true, () => false);
  }

  stop(): Promise<void> {
    return this.#receiver.close();
  }
}
