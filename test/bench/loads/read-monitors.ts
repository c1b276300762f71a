import { openMongo } from '../../../controller/platform/mongo/mongo.ts';

/** Reads each document of the collection `monitors` and discards it. */
export async function readMonitors(options: Record<string, unknown>): Promise<{ count: number }> {
  const { url } = options as { url: string };
  const mongo = openMongo(url);
  let count = 0;
  for await (const _monitor of mongo.db.collection('monitors').find()) count += 1;
  await mongo.close();
  return { count };
}
