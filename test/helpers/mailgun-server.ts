import { startReceiver, type Behaviour } from './receiver.ts';

export interface MailgunMessage {
  path: string;
  /** User and password of basic authentication. */
  credentials: string;
  /** Fields in order of arrival, including repeated ones. */
  fields: [name: string, value: string][];
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface TestMailgunServer {
  url: string;
  /** Accepted messages. */
  messages: MailgunMessage[];
  /** Requests, including rejected ones. */
  readonly requests: number;
  /** Responds with 200 and accepts messages again. */
  accept(): void;
  /** Responds with this status and message, or never. */
  fail(status: number | 'hang' | 'close', message?: string): void;
  close(): Promise<void>;
}

/** A real HTTP server with Mailgun's messages API. */
export async function startMailgunServer(): Promise<TestMailgunServer> {
  const receiver = await startReceiver();
  const messages: MailgunMessage[] = [];
  const accepting: Behaviour = (response, request) => {
    void readForm(request.body, request.headers['content-type'] ?? '').then((fields) => {
      const isMessage = request.method === 'POST' && /^\/v3\/[^/]+\/messages$/.test(request.path);
      const of = (name: string) => fields.find(([field]) => field === name)?.[1] ?? '';
      const isWhole = isMessage && fields.filter(([name]) => name === 'to').length === 1 &&
        of('from') !== '' && of('text') !== '';
      const credentials =
        Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
      if (isWhole) {
        messages.push({
          path: request.path, credentials, fields, to: of('to'), subject: of('subject'), text: of('text'),
          html: of('html'),
        });
      }
      response.writeHead(isWhole ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isWhole
        ? { id: `<${messages.length}@test>`, message: 'Queued. Thank you.' }
        : { message: 'not found' }));
    });
  };
  receiver.behave(accepting);
  return {
    url: receiver.url,
    messages,
    get requests() {
      return receiver.requests.length;
    },
    accept: () => receiver.behave(accepting),
    fail: (status, message = 'refused') =>
      receiver.behave(typeof status === 'string' ? status : (response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
      }),
    close: () => receiver.close(),
  };
}

async function readForm(body: Buffer, type: string): Promise<[string, string][]> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return [...form.entries()].map(([name, value]) => [name, String(value)]);
}
