import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { shellTexts } from '../texts/shell.ts';
import { href } from './link.ts';

/** Where a view's back link leads: a path of the console, and the name of what is there. */
export interface Back {
  to: string;
  text: string;
}

/** A view: its heading, which is the document's title too, what can be done, and the content. */
export function Page({ title, actions, children, above, back, class: more = '' }: {
  title: string; actions?: ComponentChildren; children: ComponentChildren;
  /** The view above this one. */
  back?: Back;
  /** Before the heading. */
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

/** A part of a page under a heading. */
export function Section({ title, actions, children }: { title: string; actions?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="section" aria-label={title}>
      <header class="section-head"><h2>{title}</h2>{actions !== undefined && <div class="actions">{actions}</div>}</header>
      {children}
    </section>
  );
}

/** What is there instead of an empty list: why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty"><p class="empty-title">{title}</p>{children}</div>;
}
