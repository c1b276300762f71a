import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { shellTexts } from '../texts/shell.ts';
import { href } from './link.ts';

/** Target of a view's back link: a console path and its name. */
export interface Back {
  to: string;
  text: string;
}

/** A view: heading (also the document's title), actions and content. */
export function Page({ title, actions, children, above, back, class: more = '' }: {
  title: string; actions?: ComponentChildren; children: ComponentChildren;
  /** The parent view. */
  back?: Back;
  /** Placed before the heading. */
  above?: ComponentChildren; class?: string;
}) {
  useEffect(() => {
    document.title = `${title} · Farwatch`;
  }, [title]);
  return (
    <div class={`page ${more}`}>
      {back !== undefined && <nav class="back" aria-label={shellTexts.back}><a href={href(back.to)}>← {back.text}</a></nav>}
      {above}
      <header class="page-head"><h1>{title}</h1>{actions !== undefined && <div class="actions">{actions}</div>}</header>
      {children}
    </div>
  );
}

/** A part of a page with a heading. */
export function Section({ title, actions, children }: { title: string; actions?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="section" aria-label={title}>
      <header class="section-head"><h2>{title}</h2>{actions !== undefined && <div class="actions">{actions}</div>}</header>
      {children}
    </section>
  );
}

/** Shown instead of an empty list: why it is empty, and what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty"><p class="empty-title">{title}</p>{children}</div>;
}
