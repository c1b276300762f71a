import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { canAdministerProject } from '../api/session.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { NewPost, UpdatePost } from './post-dialogs.tsx';
import { pagePath, type Post, type StatusPage } from './page-queries.ts';

type OpenDialog = { kind: 'create' } | { kind: 'update' | 'delete'; post: Post };
const PAGE_SIZE = 20;

/** The page's posts, newest first. */
export function Posts({ page }: { page: StatusPage }) {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const key = ['pages', page.id, 'posts'];
  const refresh = () => queries.invalidateQueries({ queryKey: key });
  const query = useInfiniteQuery({
    queryKey: key, initialPageParam: 1,
    queryFn: ({ pageParam }) => unwrap(api.GET('/api/projects/{projectId}/status-pages/{id}/incidents', {
      params: { ...pagePath(page.id), query: { page: pageParam, limit: PAGE_SIZE } },
    })),
    getNextPageParam: ({ pagination: { page: at, has_more: hasMore } }) => (hasMore ? at + 1 : undefined),
  });
  const close = () => setOpenDialog(null);
  return (
    <Section
      title={texts.posts}
      actions={canAdministerProject.value && (page.monitors ?? []).length > 0
        && <Button variant="primary" onClick={() => setOpenDialog({ kind: 'create' })}>{texts.newPost}</Button>}
    >
      <QueryResult query={query}>
        {({ pages }) => {
          const posts = pages.flatMap((one) => one.incidents);
          if (posts.length === 0) return <Empty title={texts.noPosts}><p>{texts.noPostsText}</p></Empty>;
          return <ul class="posts">{posts.map((post) => <PostCard key={post.id} post={post} onAction={(kind) => setOpenDialog({ kind, post })} />)}</ul>;
        }}
      </QueryResult>
      {query.hasNextPage && <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{texts.showMore}</Button>}
      {openDialog?.kind === 'create' && <NewPost page={page} onDone={refresh} onClose={close} />}
      {openDialog?.kind === 'update' && <UpdatePost post={openDialog.post} onDone={refresh} onClose={close} />}
      {openDialog?.kind === 'delete' && (
        <ConfirmDialog
          title={texts.deleteOf(openDialog.post.title)} text={texts.deletePostText} confirmLabel={shellTexts.delete} onClose={close}
          action={async () => {
            const { path } = pagePath(page.id);
            await unwrap(api.DELETE('/api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}', {
              params: { path: { ...path, incidentId: openDialog.post.id } },
            }));
            await refresh();
          }}
        />
      )}
    </Section>
  );
}

function PostCard({ post, onAction }: { post: Post; onAction: (kind: 'update' | 'delete') => void }) {
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
          {!isOver && <Button onClick={() => onAction('update')}>{texts.update}</Button>}
          <Button variant="quiet" onClick={() => onAction('delete')}>{shellTexts.delete}</Button>
        </div>
      )}
    </li>
  );
}
