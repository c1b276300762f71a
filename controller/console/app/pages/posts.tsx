import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { canAdministerProject } from '../session/session.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Shown } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { NewPost, UpdatePost } from './post-dialogs.tsx';
import { pagePath, type Post, type StatusPage } from './reading.ts';

type Asked = { what: 'create' } | { what: 'update' | 'delete'; post: Post };
const PAGE = 20;

/** What the page tells its readers about troubles, newest first. */
export function Posts({ page }: { page: StatusPage }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const key = ['pages', page.id, 'posts'];
  const changed = () => queries.invalidateQueries({ queryKey: key });
  const read = useInfiniteQuery({
    queryKey: key, initialPageParam: 1,
    queryFn: ({ pageParam }) => answer(api.GET('/api/projects/{projectId}/status-pages/{id}/incidents', {
      params: { ...pagePath(page.id), query: { page: pageParam, limit: PAGE } },
    })),
    getNextPageParam: ({ pagination: { page: at, has_more: hasMore } }) => (hasMore ? at + 1 : undefined),
  });
  const close = () => setAsked(null);
  return (
    <Section
      title={texts.posts}
      actions={canAdministerProject.value && (page.monitors ?? []).length > 0
        && <Button variant="primary" onClick={() => setAsked({ what: 'create' })}>{texts.newPost}</Button>}
    >
      <Shown of={read}>
        {({ pages }) => {
          const posts = pages.flatMap((one) => one.incidents);
          if (posts.length === 0) return <Empty title={texts.noPosts}><p>{texts.noPostsLong}</p></Empty>;
          return <ul class="posts">{posts.map((post) => <PostCard key={post.id} post={post} onAsk={(what) => setAsked({ what, post })} />)}</ul>;
        }}
      </Shown>
      {read.hasNextPage && <Button isBusy={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>{texts.showMore}</Button>}
      {asked?.what === 'create' && <NewPost page={page} onDone={changed} onClose={close} />}
      {asked?.what === 'update' && <UpdatePost post={asked.post} onDone={changed} onClose={close} />}
      {asked?.what === 'delete' && (
        <ConfirmDialog
          title={texts.deleteOf(asked.post.title)} text={texts.deletePostLong} verb={shellTexts.delete} onClose={close}
          action={async () => {
            const { path } = pagePath(page.id);
            await answer(api.DELETE('/api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}', {
              params: { path: { ...path, incidentId: asked.post.id } },
            }));
            await changed();
          }}
        />
      )}
    </Section>
  );
}

function PostCard({ post, onAsk }: { post: Post; onAsk: (what: 'update' | 'delete') => void }) {
  const { title, severity, status, auto_published: isAutomatic, published_at: at, updates, message } = post;
  const isOver = status === 'resolved';
  return (
    <li class="card">
      <header class="section-head">
        <h3>{title}</h3>
        <span>
          <span class={`state-badge ${isOver ? 'up' : 'degraded'}`}>{texts[status]}</span> <span class={`severity ${severity}`}>{texts[severity]}</span>
        </span>
      </header>
      <p class="faint small"><Ago at={at} />{isAutomatic && ` · ${texts.automaticPost}`}</p>
      <p class="post-text">{message}</p>
      {updates.length > 0 && (
        <ol class="post-updates">
          {updates.map((one, place) => (
            <li key={place}>
              <strong>{texts[one.status]}</strong> <span class="faint small"><Ago at={one.created_at} /></span>
              <p class="post-text">{one.message}</p>
            </li>
          ))}
        </ol>
      )}
      {canAdministerProject.value && (
        <div class="actions">
          {!isOver && <Button onClick={() => onAsk('update')}>{texts.update}</Button>}
          <Button variant="quiet" onClick={() => onAsk('delete')}>{shellTexts.delete}</Button>
        </div>
      )}
    </li>
  );
}
