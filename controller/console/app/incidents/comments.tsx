import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextArea } from '../ui/field.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Ago } from '../ui/time.tsx';
import { useForm } from '../ui/use-form.ts';

type Comment = components['schemas']['ListedIncidentComment'];
const MAX_COMMENT_LENGTH = 5000;

export function Comments({ id }: { id: string }) {
  const key = ['incidents', id, 'comments'];
  const refresh = () => queries.invalidateQueries({ queryKey: ['incidents', id] });
  const query = useQuery({
    queryKey: key, queryFn: () => unwrap(api.GET('/api/incidents/{id}/comments', { params: { path: { id } } })),
  });
  return (
    <>
      <QueryResult query={query} lines={2}>
        {({ comments }) => (
          <ul class="comments">{comments.map((comment) => <CommentItem key={comment.id} comment={comment} onChanged={refresh} />)}</ul>
        )}
      </QueryResult>
      <CommentForm
        submitLabel={texts.addComment}
        send={(text) => unwrap(api.POST('/api/incidents/{id}/comments', { params: { path: { id } }, body: { comment_text: text } }))}
        onDone={refresh}
      />
    </>
  );
}

function CommentItem({ comment, onChanged }: { comment: Comment; onChanged: () => Promise<void> }) {
  const [mode, setMode] = useState<'read' | 'edit' | 'delete'>('read');
  const path = { id: comment.incident_id, commentId: comment.id };
  return (
    <li class="card">
      <p class="faint small">{comment.user_name ?? comment.user_email ?? '–'} · <Ago at={comment.created_at} /></p>
      {comment.deleted_at !== null && <p class="faint">{texts.deleted}</p>}
      {mode === 'edit' ? (
        <CommentForm
          submitLabel={texts.save} text={comment.comment_text} onCancel={() => setMode('read')}
          send={(text) => unwrap(api.PUT('/api/incidents/{id}/comments/{commentId}', { params: { path }, body: { comment_text: text } }))}
          onDone={() => {
            setMode('read');
            return onChanged();
          }}
        />
      ) : <p class="comment-text">{comment.comment_text}</p>}
      {mode === 'read' && (comment.can_edit || comment.can_delete) && (
        <div class="actions">
          {comment.can_edit && <Button variant="quiet" onClick={() => setMode('edit')}>{texts.edit}</Button>}
          {comment.can_delete && <Button variant="quiet" onClick={() => setMode('delete')}>{texts.remove}</Button>}
        </div>
      )}
      {mode === 'delete' && (
        <ConfirmDialog
          title={texts.removeTitle} text={comment.comment_text} confirmLabel={texts.remove} onClose={() => setMode('read')}
          action={async () => {
            await unwrap(api.DELETE('/api/incidents/{id}/comments/{commentId}', { params: { path } }));
            await onChanged();
          }}
        />
      )}
    </li>
  );
}

function CommentForm({ submitLabel, text = '', send, onDone, onCancel }: {
  submitLabel: string; text?: string; send: (text: string) => Promise<unknown>; onDone: () => Promise<void>; onCancel?: () => void;
}) {
  const [typed, setTyped] = useState(text);
  const { onSubmit, error, isBusy } = useForm(async () => {
    await send(typed);
    setTyped('');
    await onDone();
  });
  return (
    <form onSubmit={onSubmit}>
      <TextArea label={texts.comment} required maxLength={MAX_COMMENT_LENGTH} rows={3} value={typed} onValue={setTyped} error={fieldErrorsOf(error).at('comment_text')} />
      <ErrorNote error={error} />
      <div class="actions">
        <Button type="submit" isBusy={isBusy} disabled={typed.trim() === ''}>{submitLabel}</Button>
        {onCancel !== undefined && <Button variant="quiet" onClick={onCancel}>{texts.cancel}</Button>}
      </div>
    </form>
  );
}
