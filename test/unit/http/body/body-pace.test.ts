import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { BodyParts, receiveBytes } from '../../../../controller/http/body/body.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

/** A body that is being received; `send` resolves once its data has arrived. */
function receiving() {
  const [clock, parts, request] = [new SimulatedClock(), new BodyParts(), new IncomingMessage(new Socket())];
  const received = receiveBytes(request, clock, parts);
  const send = async (bytes: number) => {
    request.push(Buffer.alloc(bytes));
    await clock.advance(0);
  };
  const end = () => request.push(null);
  return { clock, parts, received, send, end };
}

test('accepts a body with 40 kB in each 5 s, however small its last part is', async () => {
  const { clock, parts, received, send, end } = receiving();
  for (let at = 0; at < 3; at += 1) {
    await send(40_960);
    await clock.advance(5000);
  }
  await send(1);
  end();
  await received;
  expect(parts.join()).toHaveLength(3 * 40_960 + 1);
  expect(clock.pending).toBe(0);
});

test('refuses a slower body and discards it', async () => {
  const { clock, parts, received, send } = receiving();
  const refused = expect(received).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'Request body arrives too slowly' });
  await send(40_960);
  await clock.advance(5000);
  await send(40_959);
  await clock.advance(5000);
  await refused;
  expect([parts.size, clock.pending]).toEqual([0, 0]);
});
