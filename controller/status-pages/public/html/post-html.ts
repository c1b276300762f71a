import { html, type Html } from '../../../pages/html.ts';
import type { Page } from '../../../pages/layout.ts';
import type { PageLocale } from '../languages/language.ts';
import { framePage, type Appearance } from './page-frame.ts';
import type { PublicPageView, PublicPost } from '../public-view.ts';

/** An ongoing incident with its latest update. */
export function openPost(post: PublicPost, subdomain: string, locale: PageLocale): Html {
  const { texts, time } = locale;
  const address = addressOf(post, subdomain, locale);
  const { message, created_at } = stepsOf(post)[0] as Step;
  return html`<article class="open ${post.severity}"><h3><a href="${address}">${post.title}</a></h3>
${factsOf(post, locale)}<p class="text">${message}</p>
<p class="faint">${time(created_at)}${post.updates.length === 0 ? null : html` · <a href="${address}">${texts.allUpdates}</a>`}</p></article>
`;
}

/**
 * An incident in the list of its day, with its outcome. For an ongoing one, the top of the page has the
 * details.
 */
export function pastPost(post: PublicPost, subdomain: string, locale: PageLocale): Html {
  const { texts, time, timeRange } = locale;
  const step = stepsOf(post)[0] as Step;
  const isResolved = post.status === 'resolved';
  return html`
<article><h4><a href="${addressOf(post, subdomain, locale)}">${post.title}</a></h4><p><b class="${
    isResolved ? 'resolved' : post.severity}">${texts.progress[post.status]}</b>${
    isResolved ? html` <span class="text">${step.message}</span>` : null}</p><p class="faint">${
    post.resolved_at === null ? time(post.published_at) : timeRange(post.published_at, post.resolved_at)}</p></article>`;
}

/** The page of one post, with all of its updates. */
export function renderPostPage(
  view: PublicPageView, appearance: Appearance, post: PublicPost, locale: PageLocale,
): Page {
  const { texts, time } = locale;
  return framePage({
    view, appearance, locale, title: post.title, path: `/incidents/${post.id}`,
    content: html`<article class="open ${post.status === 'resolved' ? 'resolved' : post.severity}">${factsOf(post, locale)}</article>
<ol class="steps">${stepsOf(post).map(({ status, message, created_at }) => html`
<li>${status === null ? null : html`<b>${texts.progress[status]}</b>`}<p class="text">${message}</p><p class="faint">${time(created_at)}</p></li>`)}
</ol>`,
  });
}

interface Step {
  /** Null if it is no longer known. */
  status: PublicPost['status'] | null;
  message: string;
  created_at: string;
}

/** Newest first; the initial message is last. */
function stepsOf({ status, message, updates, published_at }: PublicPost): Step[] {
  return [
    ...[...updates].reverse(),
    { status: updates.length === 0 ? status : null, message, created_at: published_at },
  ];
}

function factsOf({ status, severity, affected }: PublicPost, { texts, list }: PageLocale): Html {
  return html`<p><b class="${status === 'resolved' ? 'resolved' : severity}">${texts.progress[status]}</b>${
    affected.length === 0 ? null : html` <span class="faint">${texts.affected} ${list(affected)}</span>`}</p>
`;
}

function addressOf({ id }: PublicPost, subdomain: string, { language }: PageLocale): string {
  return `/status/${subdomain}/incidents/${id}?lang=${language}`;
}
