import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { programFile } from '../bundle.mjs';
import { copies } from './copies.ts';
import { FarProbe } from './far-probe.ts';
import { links } from './links.ts';
import { Load } from './load.ts';
import { spoolDisk } from './spool-disk.ts';

let load: Load;
let far: FarProbe;
let bundle = '';
const servers: { stop(): Promise<void> }[] = [];
const on = {
  /** Stopped after the installation. */
  servers,
  get load() {
    return load;
  },
  get far() {
    return far;
  },
};
beforeAll(async () => {
  [load, bundle] = await Promise.all([Load.start(), programFile('probe')]);
  const natsPort = /nats-server \S+ on 127\.0\.0\.1:(\d+)/.exec(load.farwatch.log())?.[1];
  far = await FarProbe.start(load, bundle, 'far', Number(natsPort));
});
afterEach(async () => {
  far.nats.heal();
  await load.forget();
});
afterAll(async () => {
  await far?.close();
  await load?.stop();
  for (const server of servers) await server.stop();
});

describe('links', () => links(on));
describe('the disk', () => spoolDisk(on));
// Last, because it moves the installation to another database.
describe('copies of the data', () => copies(on));
