import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** A view: its heading, which is the document's title too, what can be done, and the content. */
export function Page({ title, actions, children, above, class: more = '' }: {
  title: string; actions?: ComponentChildren; children: ComponentChildren;
  /** Before the heading, as a way back. */
  above?: ComponentChildren; class?: string;
}) {
  useEffect(() => {
    document.title = `${title} · Farwatch`;
  }, [title]);
  return (
    <div class={`page ${more}`}>
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
