import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { heartbeatTexts as texts } from '../texts/heartbeats.ts';
import { Button } from '../ui/button.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { msText, Time } from '../ui/time.tsx';
import type { Ping } from './monitor-queries.ts';

const FIRST_LIMIT = 10;
const MAX_LIMIT = 100;
const REFRESH_MS = 15_000;

/** The kept pings of a heartbeat, newest first, with what their jobs sent. */
export function Pings({ id }: { id: string }) {
  const [limit, setLimit] = useState(FIRST_LIMIT);
  const query = useQuery({
    queryKey: ['monitors', id, 'pings', limit], refetchInterval: REFRESH_MS,
    queryFn: async () => {
      const params = { path: { id }, query: { limit } };
      return (await unwrap(api.GET('/api/monitors/{id}/pings', { params }))).pings;
    },
  });
  return (
    <Section title={texts.latest}>
      <p class="hint">{texts.latestHint}</p>
      <QueryResult query={query}>
        {(pings) => (pings.length === 0 ? <p class="faint">{texts.noPings}</p> : (
          <Table columns={[texts.at, texts.kind, texts.duration, texts.source, texts.output]}>
            {pings.map((ping, index) => <Row key={`${ping.at} ${index}`} ping={ping} />)}
          </Table>
        ))}
      </QueryResult>
      {query.data?.length === FIRST_LIMIT && <div><Button onClick={() => setLimit(MAX_LIMIT)}>{texts.showAll}</Button></div>}
    </Section>
  );
}

function Row({ ping: { at, kind, exit_code: code, duration_ms: ms, run_id: run, source, body } }: { ping: Ping }) {
  return (
    <tr>
      <td><Time at={at} /></td>
      <td>
        {texts[kind]}{code !== null && <span class="faint"> {texts.exitCode(code)}</span>}
        {run !== null && <span class="block small faint">{texts.run(run)}</span>}
      </td>
      <td>{ms === null ? '' : msText(ms)}</td>
      <td><code>{source}</code></td>
      <td class="wide">{body !== null && <details><summary>{firstLine(body)}</summary><pre>{body}</pre></details>}</td>
    </tr>
  );
}

const MAX_SUMMARY_LENGTH = 60;

function firstLine(body: string): string {
  const line = body.trim().split('\n', 1)[0] ?? '';
  return line.length > MAX_SUMMARY_LENGTH ? `${line.slice(0, MAX_SUMMARY_LENGTH)}…` : line || texts.output;
}
