import { html, type Html } from '../../pages/html.ts';
import type { Page } from '../../pages/layout.ts';
import type { Voice } from './languages/language.ts';
import { framePage, type Look } from './page-frame.ts';
import type { PublicPageView, PublicPost } from './public-view.ts';

/** A post in the list of the page, with its newest update first. */
export function article(post: PublicPost, subdomain: string, voice: Voice): Html {
  const address = `/status/${subdomain}/incidents/${post.id}?lang=${voice.language}`;
  return html`<article><h3><a href="${address}">${post.title}</a></h3>
${progressOf(post, voice)}</article>
`;
}

/** The page of one post. */
export function renderPostPage(view: PublicPageView, look: Look, post: PublicPost, voice: Voice): Page {
  return framePage({
    view, look, voice, title: post.title, path: `/incidents/${post.id}`,
    content: html`<article>${progressOf(post, voice)}</article>`,
  });
}

function progressOf(post: PublicPost, { texts, time, list }: Voice): Html {
  const steps = [
    ...[...post.updates].reverse(),
    { status: null, message: post.message, created_at: post.published_at },
  ];
  return html`<p class="state ${post.status === 'resolved' ? 'resolved' : post.severity}">${texts.progress[post.status]}</p>
${post.affected.length === 0 ? null : html`<p>${texts.affected} ${list(post.affected)}</p>`}
${steps.map(({ status, message, created_at }) => html`<p class="text">${
  status === null ? null : html`<b>${texts.progress[status]}</b> `}${message}<br>${time(created_at)}</p>
`)}`;
}
