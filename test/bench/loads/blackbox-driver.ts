import { Agent, get } from 'node:http';
import { keepInFlight } from './in-flight.ts';

/** Requests probes from a blackbox_exporter over keep-alive connections, as Prometheus does. */
export async function blackboxDriver(
  options: Record<string, unknown>,
): Promise<{ done: number; failed: number }> {
  const { exporterPort, module, target, count, inFlight } =
    options as { exporterPort: number; module: string; target: string; count: number; inFlight: number };
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const url = `http://127.0.0.1:${exporterPort}/probe?module=${module}&target=${target}`;
  let [done, failed] = [0, 0];
  await keepInFlight({ count, inFlight }, async () => {
    if (/^probe_success 1$/m.test(await textOf(url, agent))) done += 1;
    else failed += 1;
  });
  return { done, failed };
}

function textOf(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on(
        'end', () => resolve(text),
      );
    }).on('error', reject);
  });
}
