import { EventSourceParserStream } from 'eventsource-parser/stream';
import { sleep, systemClock } from '../../../shared/time.ts';
import { ApiError, CLIENT_HELP, clientOf, type Client } from '../client.ts';
import { EXIT, type DefineCommand } from '../command.ts';
import type { Output } from '../output.ts';

const RETRY_MS = 1000;
const MAX_RETRY_MS = 15_000;
/** The server sends something every 15 seconds. */
const SILENCE_TIMEOUT_MS = 40_000;

export const define: DefineCommand = (command, { env, output, stdout, stderr }) => {
  command.description('Prints live events of the project until stopped: one JSON object {"event", "id", "data"} a line.')
    .option('--json', 'the same: every line is JSON')
    .addHelpText('after', CLIENT_HELP);
  return async () => {
    const client = clientOf(env);
    const stopped = new Promise<'stopped'>((resolve) => void stdout.once('error', () => resolve('stopped')));
    let lastId: string | null = null;
    let hasConnected = false;
    let retryMs = 0;
    for (;;) {
      let reason = 'the stream has ended';
      try {
        const following = follow(client, lastId, output, (id) => {
          [lastId, hasConnected, retryMs] = [id ?? lastId, true, 0];
        });
        if (await Promise.race([following, stopped]) === 'stopped') return EXIT.done;
      } catch (error) {
        // The server may be restarting, but a refusal stays one.
        if (!hasConnected || error instanceof ApiError) throw error;
        reason = (error as Error).message;
      }
      // Once for each interruption.
      if (retryMs === 0) stderr.write(`farwatch: ${reason}; connecting again\n`);
      retryMs = Math.min(MAX_RETRY_MS, Math.max(RETRY_MS, retryMs * 2));
      await sleep(systemClock, retryMs);
    }
  };
};

/** Prints events until the stream ends. Calls `onRead` when it begins, and with the id of each event. */
async function follow(
  client: Client, lastId: string | null, output: Output, onRead: (id: string | null) => void,
): Promise<void> {
  const silence = new AbortController();
  const headers: Record<string, string> = lastId === null ? {} : { 'Last-Event-ID': lastId };
  const { body } = await client.send('/api/events', { headers, signal: silence.signal });
  onRead(null);
  let timer: NodeJS.Timeout | undefined;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Error('the server is silent')), SILENCE_TIMEOUT_MS);
  };
  const observed = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      restartTimer();
      controller.enqueue(chunk);
    },
  });
  restartTimer();
  try {
    const bytes = (body as ReadableStream<Uint8Array>).pipeThrough(observed) as ReadableStream<BufferSource>;
    const events = bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { event, id, data } of events) {
      output.line(JSON.stringify({ event: event ?? 'message', id, data: JSON.parse(data) as unknown }));
      onRead(id ?? null);
    }
  } finally {
    clearTimeout(timer);
  }
}
