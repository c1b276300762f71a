import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCurve, createUser } from 'nkeys.js';
import { afterEach, expect, test } from 'vitest';
import { enrol, EnrolmentRefused } from '../../../../probe/identity/enrolment.ts';
import { createLog } from '../../../../shared/log.ts';
import { systemClock } from '../../../../shared/time.ts';

const ENROLMENT = {
  probe_id: 'p', name: 'probe', region_id: 'eu', nats_url: 'nats://127.0.0.1:1', controller_key: 'A',
  controller_box_key: 'X',
};
/** Delays between attempts elapse immediately. */
const clock = { ...systemClock, setTimer: (_delayMs: number, fire: () => void) => systemClock.setTimer(0, fire) };

let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Enrols at a server that handles each request with the next handler; resolves to the region and the bodies sent. */
async function enrolAt(...handlers: ((response: ServerResponse) => void)[]): Promise<[string, unknown[]]> {
  const bodies: unknown[] = [];
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => {
      bodies.push(JSON.parse(text));
      handlers[Math.min(bodies.length, handlers.length) - 1]?.(response);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { enrolment } = await enrol({
    controllerUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'a-token-of-sixteen',
    keys: { user: createUser(), box: createCurve() }, version: '1', capabilities: ['HTTP'], clock,
    log: createLog('test', 'silent'), random: () => 0,
  });
  return [enrolment.region_id, bodies];
}

const respondWith = (status: number, json: unknown) => (response: ServerResponse) =>
  void response.writeHead(status).end(JSON.stringify(json));
const accept = respondWith(200, { success: true, data: ENROLMENT });

test('a probe exchanges its token for an identity', async () => {
  const [region, bodies] = await enrolAt(accept);
  expect([region, bodies]).toEqual(['eu', [expect.objectContaining({ token: 'a-token-of-sixteen' })]]);
});

test('a controller that is busy, disconnects or never finishes is retried', async () => {
  const endless = (response: ServerResponse): void => {
    response.on('error', () => undefined);
    const more = (): void => void response.write(Buffer.alloc(65_536), (error) => error ?? more());
    more();
  };
  const breakOff = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-length': 100 }).write('{');
    response.destroy();
  };
  const [region, bodies] = await enrolAt(respondWith(503, {}), breakOff, endless, accept);
  expect([region, bodies.length]).toEqual(['eu', 4]);
});

test("a rejection is reported in the controller's words", async () => {
  const refusal = enrolAt(respondWith(403, { error: { message: 'this token has been used' } }));
  await expect(refusal).rejects.toThrow(new EnrolmentRefused('this token has been used'));
});

test.each([[200, 'ok'], [301, ''], [404, 'Not Found']])('status %i not from Farwatch is reported with the URL', async (status, text) => {
  const refusal = enrolAt((response) => void response.writeHead(status).end(text));
  await expect(refusal).rejects.toThrow(/^the server at http:\/\/127\.0\.0\.1:\d+ is not a Farwatch controller \(status \d+\)$/);
});
