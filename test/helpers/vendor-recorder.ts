import { z } from 'zod';
import type { DestinationType } from '../../controller/destinations/channels/registry.ts';
import { startReceiver, type ReceivedRequest } from './receiver.ts';

/** What a vendor documents about its requests, and a config for a test server. */
export interface Vendor {
  config(url: string): object;
  /** Values of the config that must appear nowhere but in the request. */
  secrets: string[];
  method?: 'POST' | 'PUT';
  path: string | RegExp;
  headers?: Record<string, string | RegExp>;
  /** A form instead of a JSON document. */
  isForm?: boolean;
  body: z.ZodType;
  maxBytes?: number;
  /** What must not be in the texts of a hostile alert. */
  forbidden: RegExp;
  /** The texts that the vendor interprets, without markup of our own. */
  texts(body: never): string[];
}

const SECRET = 'c4nary-s3cret';
const chat = (url: string) => ({ url: `${url}/hooks/${SECRET}` });
const HOOK = `/hooks/${SECRET}`;
const iso = z.iso.datetime();
const textUpTo = (max: number) => z.string().min(1).max(max);
const bytesUpTo = (max: number) => z.string().min(1).refine((text) => Buffer.byteLength(text) <= max);
const color = z.int().min(0).max(0xffffff);
/** Removes tags of ours; what remains must not contain others. */
const withoutTags = (html: string) => html.replace(/<\/?(b|strong|br)>|<a href="https:\/\/watch\.example\/[^"<>]*">|<\/a>/g, '');
const AT = /@(everyone|channel|all|here|room|ada)/;
/** Raw markdown of the alert: a link whose brackets have no escape. */
const LINK = /(^|[^\\])(\[click\]\(|\*b)/;

export const VENDORS: Record<Exclude<DestinationType, 'email' | 'webhook'>, Vendor> = {
  slack: {
    config: (url) => ({ webhook_url: `${url}/services/T/B/x` }), secrets: [], path: '/services/T/B/x',
    body: z.strictObject({
      text: textUpTo(40_000), unfurl_links: z.literal(false),
      blocks: z.array(z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('header'), text: z.strictObject({ type: z.literal('plain_text'), text: textUpTo(150), emoji: z.boolean() }) }),
        z.strictObject({ type: z.literal('section'), text: z.strictObject({ type: z.literal('mrkdwn'), text: textUpTo(3000), verbatim: z.boolean() }) }),
      ])).max(50),
    }),
    forbidden: /<(?!https:\/\/watch\.example\/)|&(?!amp;|lt;|gt;)/,
    texts: ({ text, blocks }: { text: string; blocks: { type: string; text: { text: string } }[] }) =>
      [text, ...blocks.filter(({ type }) => type === 'section').map((block) => block.text.text)],
  },
  teams: {
    config: chat, secrets: [SECRET], path: HOOK, maxBytes: 28_000,
    body: z.strictObject({
      type: z.literal('message'),
      attachments: z.array(z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'), contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'), type: z.literal('AdaptiveCard'),
          version: z.literal('1.4'),
          body: z.array(z.strictObject({
            type: z.literal('TextBlock'), text: z.string().min(1), wrap: z.boolean(), weight: z.enum(['bolder']).optional(),
            size: z.enum(['medium']).optional(), color: z.enum(['attention', 'warning', 'good']).optional(),
          })).min(2),
          actions: z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string().min(1), url: z.url() })).max(6),
        }),
      })).length(1),
    }),
    forbidden: /(^|[^\\])[[\]<]/,
    texts: ({ attachments: [card] }: { attachments: { content: { body: { text: string }[] } }[] }) =>
      card?.content.body.map(({ text }) => text) ?? [],
  },
  discord: {
    config: chat, secrets: [SECRET], path: HOOK,
    body: z.strictObject({
      content: textUpTo(2000), allowed_mentions: z.strictObject({ parse: z.array(z.string()).length(0) }),
      embeds: z.array(z.strictObject({ description: textUpTo(4096), color, timestamp: iso })).max(10),
    }),
    forbidden: new RegExp(`${AT.source}|${LINK.source}|(^|[^\\\\])<`),
    texts: ({ content, embeds }: { content: string; embeds: { description: string }[] }) =>
      [content, ...embeds.map(({ description }) => description)],
  },
  telegram: {
    config: (url) => ({ bot_token: `123:${SECRET}`, chat_id: -100, thread_id: 7, base_url: url }), secrets: [SECRET],
    path: `/bot123:${SECRET}/sendMessage`,
    body: z.strictObject({
      chat_id: z.union([z.int(), z.string()]), message_thread_id: z.int().optional(), text: textUpTo(4096),
      parse_mode: z.literal('HTML'), link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
    }),
    forbidden: new RegExp(`${AT.source}|<|&(?!amp;|lt;|gt;|quot;)`),
    texts: ({ text }: { text: string }) => [withoutTags(text)],
  },
  google_chat: {
    config: (url) => ({ url: `${url}/v1/spaces/S/messages?key=k&token=${SECRET}` }), secrets: [SECRET],
    path: `/v1/spaces/S/messages?key=k&token=${SECRET}`, maxBytes: 32_000,
    body: z.strictObject({
      fallbackText: z.string().min(1),
      cardsV2: z.array(z.strictObject({
        cardId: z.string(),
        card: z.strictObject({
          header: z.strictObject({ title: textUpTo(200) }),
          sections: z.array(z.strictObject({
            widgets: z.array(z.strictObject({ textParagraph: z.strictObject({ text: z.string().min(1) }) })),
          })),
        }),
      })).length(1),
    }),
    forbidden: /<(?!\u200b)|&(?!amp;|lt;|gt;|quot;| )/,
    texts: ({ fallbackText, cardsV2: [one] }: {
      fallbackText: string;
      cardsV2: { card: { sections: { widgets: { textParagraph: { text: string } }[] }[] } }[];
    }) => [fallbackText.replaceAll('&', ''), ...(one?.card.sections ?? []).flatMap(({ widgets }) => (
      widgets.map(({ textParagraph: { text } }) => withoutTags(text))
    ))],
  },
  mattermost: {
    config: chat, secrets: [SECRET], path: HOOK, body: z.strictObject({ text: textUpTo(4000) }),
    forbidden: new RegExp(`${AT.source}|${LINK.source}`), texts: ({ text }: { text: string }) => [text],
  },
  rocket_chat: {
    config: chat, secrets: [SECRET], path: HOOK, body: z.strictObject({ text: textUpTo(5000) }),
    forbidden: new RegExp(`${AT.source}|\\[click\\]\\(`), texts: ({ text }: { text: string }) => [text],
  },
  matrix: {
    config: (url) => ({ base_url: url, access_token: SECRET, room_id: '!room:matrix.example' }), secrets: [SECRET],
    method: 'PUT', path: /^\/_matrix\/client\/v3\/rooms\/!room%3Amatrix\.example\/send\/m\.room\.message\/[\w-]{1,255}$/,
    headers: { authorization: `Bearer ${SECRET}` }, maxBytes: 60_000,
    body: z.strictObject({
      msgtype: z.literal('m.text'), body: z.string().min(1), format: z.literal('org.matrix.custom.html'),
      formatted_body: z.string().min(1), 'm.mentions': z.strictObject({}),
    }),
    forbidden: new RegExp(`${AT.source}|<`),
    texts: ({ formatted_body: html }: { formatted_body: string }) => [withoutTags(html)],
  },
  pagerduty: {
    config: (url) => ({ routing_key: SECRET, base_url: url }), secrets: [SECRET], path: '/v2/enqueue', maxBytes: 512_000,
    body: z.discriminatedUnion('event_action', [
      z.strictObject({
        routing_key: z.literal(SECRET), event_action: z.literal('trigger'), dedup_key: textUpTo(255),
        client: z.string(), client_url: z.url().optional(),
        links: z.array(z.strictObject({ href: z.url(), text: z.string() })),
        payload: z.strictObject({
          summary: textUpTo(1024), source: z.string().min(1), severity: z.enum(['critical', 'error', 'warning', 'info']),
          timestamp: iso, component: z.string().optional(), class: z.string(),
          custom_details: z.record(z.string(), z.string()),
        }),
      }),
      z.strictObject({ routing_key: z.literal(SECRET), event_action: z.enum(['acknowledge', 'resolve']), dedup_key: textUpTo(255) }),
    ]),
    forbidden: /(?!)/, texts: () => [],
  },
  alertmanager: {
    config: (url) => ({ base_url: url }), secrets: [], path: '/api/v2/alerts',
    body: z.array(z.strictObject({
      labels: z.record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/), z.string().min(1)), startsAt: iso, endsAt: iso,
      annotations: z.record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/), z.string()), generatorURL: z.url().optional(),
    }).refine(({ startsAt, endsAt }) => endsAt >= startsAt)).min(1),
    forbidden: /(?!)/, texts: () => [],
  },
  ntfy: {
    config: (url) => ({ topic: 'ops', base_url: url, token: `tk_${SECRET}` }), secrets: [SECRET], path: '/', maxBytes: 8192,
    headers: { authorization: `Bearer tk_${SECRET}` },
    body: z.strictObject({
      topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/), title: bytesUpTo(250), message: bytesUpTo(4096),
      priority: z.int().min(1).max(5), tags: z.array(z.string()), click: z.url().optional(),
    }),
    forbidden: /(?!)/, texts: () => [],
  },
  gotify: {
    config: (url) => ({ base_url: `${url}/gotify/`, token: SECRET }), secrets: [SECRET], path: '/gotify/message',
    headers: { 'x-gotify-key': SECRET },
    body: z.strictObject({
      title: z.string().min(1), message: z.string().min(1), priority: z.int().min(0).max(10),
      extras: z.strictObject({
        'client::display': z.strictObject({ contentType: z.literal('text/plain') }),
        'client::notification': z.strictObject({ click: z.strictObject({ url: z.url() }) }).optional(),
      }),
    }),
    forbidden: /(?!)/, texts: () => [],
  },
  pushover: {
    config: (url) => ({ token: `a-${SECRET}`, user: `u-${SECRET}`, base_url: url }), secrets: [SECRET],
    path: '/1/messages.json', isForm: true,
    body: z.strictObject({
      token: z.literal(`a-${SECRET}`), user: z.literal(`u-${SECRET}`), title: textUpTo(250), message: textUpTo(1024),
      priority: z.enum(['-2', '-1', '0', '1']), timestamp: z.string().regex(/^\d{10}$/), url: z.url().max(512).optional(),
      url_title: textUpTo(100).optional(),
    }),
    forbidden: /(?!)/, texts: () => [],
  },
  twilio: {
    config: (url) => ({ account_sid: 'AC0123', auth_token: SECRET, from: '+15550001111', to: ['+15550002222', '+15550003333'], base_url: url }),
    secrets: [SECRET], path: '/2010-04-01/Accounts/AC0123/Messages.json', isForm: true,
    headers: { authorization: `Basic ${Buffer.from(`AC0123:${SECRET}`).toString('base64')}` },
    body: z.strictObject({ To: z.string().regex(/^\+[1-9]\d+$/), From: z.string().min(1), Body: textUpTo(1600) }),
    forbidden: /(?!)/, texts: () => [],
  },
  apprise: {
    config: (url) => ({ base_url: url, urls: [`json://${SECRET}`, `ntfy://${SECRET}`] }), secrets: [SECRET], path: '/notify',
    body: z.strictObject({
      urls: z.literal(`json://${SECRET},ntfy://${SECRET}`), title: z.string().min(1), body: textUpTo(32_768),
      type: z.enum(['info', 'success', 'warning', 'failure']), format: z.enum(['text', 'markdown', 'html']),
    }),
    forbidden: new RegExp(`${AT.source}|<(?!\u200b)`), texts: ({ title, body }: { title: string; body: string }) => [title, body],
  },
};

/** A server that responds like a vendor: 200, or 400 with what the request violates. */
export async function startVendor(vendor: Vendor) {
  const receiver = await startReceiver();
  const violations: string[] = [];
  receiver.behave((response, request) => {
    const found = violationsOf(vendor, request);
    violations.push(...found);
    response.writeHead(found.length === 0 ? 200 : 400, { 'content-type': 'text/plain' }).end(found.join('\n'));
  });
  return { receiver, violations, bodies: () => receiver.requests.map((request) => bodyOf(vendor, request)) };
}

export function bodyOf({ isForm = false }: Vendor, { body }: ReceivedRequest): never {
  const text = body.toString();
  return (isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)) as never;
}

function violationsOf(vendor: Vendor, request: ReceivedRequest): string[] {
  const { method = 'POST', path, headers = {}, body: schema, maxBytes = Infinity, isForm = false } = vendor;
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const expected = { 'content-type': type, ...headers };
  const wrong = Object.entries(expected).filter(([name, value]) => request.headers[name] !== value).map(([name]) => name);
  const text = JSON.stringify(bodyOf(vendor, request));
  const parsed = schema.safeParse(bodyOf(vendor, request));
  return [
    ...(request.method === method ? [] : [`method ${request.method}`]),
    ...((typeof path === 'string' ? request.path === path : path.test(request.path)) ? [] : [`path ${request.path}`]),
    ...wrong.map((name) => `header ${name}: ${String(request.headers[name])}`),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)),
    ...(request.body.length <= maxBytes ? [] : [`${request.body.length} bytes`]),
    ...(/\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|\ufffd/i.test(text) ? ['half a surrogate pair'] : []),
  ];
}
