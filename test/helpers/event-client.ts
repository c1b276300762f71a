import { until } from './until.ts';

export interface ReceivedEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** A client of server-sent events over a real connection, written from the standard. */
export class EventClient {
  readonly events: ReceivedEvent[] = [];
  /** Everything received so far. */
  raw = '';
  status = 0;
  headers = new Headers();
  /** The Last-Event-ID header that a browser would send to resume. */
  lastEventId: string | null = null;
  isEnded = false;
  readonly #abort = new AbortController();
  #buffer = '';

  /** Resolves when the response has started. */
  static async open(
    url: string, headers: Record<string, string>, lastEventId: string | null = null, path = '/api/events',
  ): Promise<EventClient> {
    const client = new EventClient();
    const all = { ...headers, ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }) };
    const response = await fetch(url + path, { headers: all, signal: client.#abort.signal });
    client.status = response.status;
    client.headers = response.headers;
    client.lastEventId = lastEventId;
    if (response.status === 200) {
      void client.#read(response);
      await until(() => client.raw.includes('retry:'), { what: 'the stream begins' });
    } else client.raw = await response.text();
    return client;
  }

  /** Resolves to the first event of this kind that matches. */
  next(event: string, fits: (data: ReceivedEvent['data']) => boolean = () => true): Promise<ReceivedEvent> {
    return until(
      () => this.events.find((one) => one.event === event && fits(one.data)) ?? null,
      { what: `${event} is seen` },
    );
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        this.#take(decoder.decode(chunk, { stream: true }));
      }
    } catch {
      // The connection was aborted, by us or by the server.
    }
    this.isEnded = true;
  }

  #take(text: string): void {
    this.raw += text;
    const blocks = (this.#buffer + text).split('\n\n');
    this.#buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').filter((line) => !line.startsWith(':')).map(
        (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)],
      ));
      const id = fields.get('id');
      if (id !== undefined) this.lastEventId = id;
      const data = fields.get('data');
      if (data !== undefined) {
        this.events.push({
          id: id ?? '', event: fields.get('event') ?? 'message', data: JSON.parse(data) as ReceivedEvent['data'],
        });
      }
    }
  }
}
