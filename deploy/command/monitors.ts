import type { Client } from './client.ts';

export interface Monitor {
  id: string;
  name: string;
  type: string;
  target: string;
  runtimeStatus: string;
  in_maintenance: boolean;
  tags: string[];
  since: number | null;
  response_time_ms: number | null;
  uptime_24h: number | null;
  hours?: unknown;
  response_times?: unknown;
}

interface Page {
  monitors: Monitor[];
  next_cursor: string | null;
}

/** All monitors of the project; with a tag, only those that have it. */
export async function readMonitors(client: Client, tag?: string): Promise<Monitor[]> {
  const monitors: Monitor[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await client.call(
      `/api/monitors/overview?include=hours${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    for (const monitor of page.monitors) {
      // Numbers for charts only make --json unreadable.
      monitors.push({ ...monitor, hours: undefined, response_times: undefined });
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return tag === undefined ? monitors : monitors.filter(({ tags }) => tags.includes(tag));
}
