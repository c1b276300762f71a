import { writeFileSync } from 'node:fs';
import openapiTypes, { astToString } from 'openapi-typescript';
import { newKeyRing } from '../../controller/accounts/sessions/key-ring.ts';
import { loadControllerConfig } from '../../controller/config.ts';
import { openController } from '../../controller/controller.ts';
import { openApiDocument, type Operation } from '../../controller/http/reference/openapi.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { shardMap } from '../helpers/shard-map.ts';

type ControllerInput = Parameters<typeof openController>[0];
type Seed = { _id: string };

/** A stub with every property and method, none of which does anything. */
const nothing: object = new Proxy(() => {}, {
  get: (_target, key) => {
    if (key === 'then') return undefined;
    if (key === Symbol.iterator || key === Symbol.asyncIterator) return function* () {};
    return nothing;
  },
  apply: () => nothing,
});

/** A collection that keeps documents seeded while a controller opens, and is otherwise empty. */
function collection() {
  const seeded = new Map<string, object>();
  const own: Record<string, unknown> = {
    updateOne: async ({ _id }: Seed, { $setOnInsert }: { $setOnInsert: object }) => {
      seeded.set(_id, { _id, ...$setOnInsert });
    },
    insertOne: async (doc: Seed) => {
      seeded.set(doc._id, doc);
    },
    findOne: async ({ _id }: Seed) => seeded.get(_id) ?? null,
  };
  return new Proxy(own, { get: (target, key) => target[key as string] ?? nothing });
}

/**
 * Writes the API's types, generated from the routes that a controller serves. They contain only success
 * responses, because all failures have one shape.
 */
export async function writeApiTypes(file: string): Promise<void> {
  const collections = new Map<string, object>();
  const db = {
    collection: (name: string) => {
      const existing = collections.get(name) ?? collection();
      collections.set(name, existing);
      return existing;
    },
  };
  const config = loadControllerConfig({
    MONGODB_URL: 'mongodb://127.0.0.1', NATS_URL: 'nats://127.0.0.1', JWT_KEYS: await newKeyRing(),
  });
  const controller = await openController({
    config, shardMap, mongo: { db } as ControllerInput['mongo'], bus: nothing as ControllerInput['bus'], clock: systemClock,
    log: createLog('types', 'silent'), resolve: async () => [], timeZone: 'UTC', random: () => 0,
  });
  const document = openApiDocument(controller.edge.routes);
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) removeFailures(operation);
  }
  const types = astToString(await openapiTypes(JSON.stringify(document)));
  writeFileSync(file, types);
}

function removeFailures({ responses }: Operation): void {
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) >= 400) delete responses[status];
    else if ('headers' in response) response.headers = {};
  }
}
