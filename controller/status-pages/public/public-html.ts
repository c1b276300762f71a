import { createHash } from 'node:crypto';
import { html, type Html } from '../../pages/html.ts';
import type { Page } from '../../pages/layout.ts';
import type { PageDoc } from '../page.ts';
import { PUBLIC_STYLE } from './public-style.ts';
import type { OverallState, PublicComponent, PublicPageView, PublicPost } from './public-view.ts';

const STYLE_HASH = createHash('sha256').update(PUBLIC_STYLE).digest('base64');

const OVERALL: Record<OverallState, string> = {
  operational: 'All systems are operational', degraded: 'Some systems are slow or limited',
  partial_outage: 'Some systems are down', major_outage: 'All systems are down',
  unknown: 'There is no data at the moment',
};
const STATES: Record<PublicComponent['status'], string> = {
  up: 'Operational', down: 'Down', degraded: 'Degraded', paused: 'Not monitored', maintenance: 'Maintenance',
  unknown: 'No data',
};
const PROGRESS: Record<PublicPost['status'], string> = {
  investigating: 'Investigating', identified: 'Identified', monitoring: 'Monitoring', resolved: 'Resolved',
};
const FRAMES: Record<string, string> =
  { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' };

type Look = Pick<PageDoc, 'branding' | 'allow_search_indexing'>;

/** The public page. It needs no script, and loads nothing but the logo and the icon that the page names. */
export function renderPublicPage(view: PublicPageView, { branding, allow_search_indexing }: Look): Page {
  const { logoUrl = null, faviconUrl = null, headerText = null, footerText = null } = branding ?? {};
  const time = timesIn(view.timezone);
  const [open, past] = [
    view.incidents.filter(({ status }) => status !== 'resolved'),
    view.incidents.filter(({ status }) => status === 'resolved'),
  ];
  const head = html`<!doctype html>
<html lang="en" data-theme="${view.color_scheme}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${allow_search_indexing ? null : html`<meta name="robots" content="noindex">`}
${view.description === null ? null : html`<meta name="description" content="${view.description}">`}
${faviconUrl === null ? null : html`<link rel="icon" href="${faviconUrl}">`}
<title>${view.name} · Status</title><style>`;
  const body = html`</style></head>
<body><header>${logoUrl === null ? null : html`<img src="${logoUrl}" alt="" height="48">`}<h1>${view.name}</h1>
${paragraph(view.description)}${paragraph(headerText)}</header>
<main><p class="overall ${view.overall}" role="status">${OVERALL[view.overall]}</p>
${open.length === 0 ? null : section('Current incidents', open.map((post) => article(post, time)))}
${groupsOf(view.components).map(([name, components]) => section(name, [list(components)]))}
${section('Past incidents', past.length === 0
    ? [html`<p>No incidents in this time.</p>`]
    : past.map((post) => article(post, time)))}
</main><footer>${paragraph(footerText)}<p>As of ${time(view.as_of)}.</p></footer></body></html>
`;
  return {
    html: `${head.text}${PUBLIC_STYLE}${body.text}`,
    headers: {
      'Content-Security-Policy':
        `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src ${imageSources([logoUrl, faviconUrl])}; ` +
        "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
      'Cache-Control': 'public, max-age=1',
    },
  };
}

/** The origins of what the page names: it may load nothing else. */
function imageSources(urls: (string | null)[]): string {
  const origins = new Set(urls.flatMap((url) => (url === null ? [] : [new URL(url).origin])));
  return origins.size === 0 ? "'none'" : [...origins].join(' ');
}

function paragraph(text: string | null): Html | null {
  return text === null ? null : html`<p class="text">${text}</p>`;
}

function section(title: string, content: Html[]): Html {
  return html`<section><h2>${title}</h2>${content}</section>
`;
}

/** Components outside all groups come first; groups in the order of their first component. */
function groupsOf(components: readonly PublicComponent[]): [string, PublicComponent[]][] {
  const groups = new Map<string | null, PublicComponent[]>();
  for (const component of components) {
    groups.set(component.group, [...(groups.get(component.group) ?? []), component]);
  }
  return [...groups].sort(([one], [other]) => Number(one !== null) - Number(other !== null))
    .map(([name, members]) => [name ?? 'Systems', members]);
}

function list(components: PublicComponent[]): Html {
  return html`<ul>${components.map(({ name, status, uptime, response_time_ms: ms }) => html`
<li><span class="name">${name}</span> <span class="state ${status}">${STATES[status]}</span>${
  uptime === undefined ? null : html`<span class="facts">${Object.entries(uptime).map(([frame, percent]) =>
    html`<span>${FRAMES[frame] ?? frame}: ${percent === null ? 'no data' : `${floorPercent(percent)} %`}</span> `)}</span>`
}${ms === undefined || ms === null ? null : html`<span class="facts">${Math.round(ms)} ms</span>`}</li>`)}
</ul>`;
}

/** Rounded down: 100 is shown only where nothing failed. */
function floorPercent(percent: number): string {
  return (Math.floor(percent * 100) / 100).toFixed(2);
}

function article(post: PublicPost, time: (instant: string) => Html): Html {
  const steps = [
    ...[...post.updates].reverse(),
    { status: null, message: post.message, created_at: post.published_at },
  ];
  return html`<article><h3>${post.title} <span class="state ${post.severity}">${PROGRESS[post.status]}</span></h3>
${post.affected.length === 0 ? null : html`<p>Affected: ${post.affected.join(', ')}</p>`}
${steps.map(({ status, message, created_at }) => html`<p class="text">${
  status === null ? null : html`<b>${PROGRESS[status]}:</b> `}${message}<br>${time(created_at)}</p>`)}
</article>`;
}

function timesIn(timeZone: string): (instant: string) => Html {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'long' });
  return (instant) => html`<time datetime="${instant}">${format.format(new Date(instant))}</time>`;
}
