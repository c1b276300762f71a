import { createServer, type AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Listens with the shortest queue and sleeps while the shared word is 1: the queue fills, and the system then drops
 * every further SYN.
 */
const sleepFlag = workerData as Int32Array;

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.end();
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort?.postMessage((server.address() as AddressInfo).port);
});
parentPort?.on('message', () => {
  parentPort?.postMessage('asleep');
  Atomics.wait(sleepFlag, 0, 1);
});
