import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { FieldError } from '../ui/field.tsx';
import { previewInputOf, type Draft } from './draft.ts';
import { forms } from './forms.ts';

type Message = components['schemas']['IntegrationPreview'];
const DEBOUNCE_MS = 400;

/** The messages that the form's settings would send, rendered by the server while the preview is open. */
export function useMessagePreview(draft: Draft) {
  const [isOpen, setOpen] = useState(false);
  const input = JSON.stringify(previewInputOf(draft, forms[draft.type]));
  const [debounced, setDebounced] = useState(input);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(input), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [input]);
  const query = useQuery({
    queryKey: ['destination preview', debounced], enabled: isOpen, placeholderData: keepPreviousData,
    queryFn: () => unwrap(api.POST('/api/integrations/preview', { body: JSON.parse(debounced) as ReturnType<typeof previewInputOf> })),
  });
  return { isOpen, setOpen, query };
}

/** Errors of fields are shown at their fields. */
export function MessagePreview({ preview }: { preview: ReturnType<typeof useMessagePreview> }) {
  const { isOpen, setOpen, query: { data, error } } = preview;
  const fieldErrors = fieldErrorsOf(error);
  return (
    <details class="message-preview" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.preview}</summary>
      <p class="hint">{texts.previewHint}</p>
      {/* The user is still typing: don't scroll to invalid fields. */}
      {fieldErrors.isEmpty
        ? <ErrorNote error={error} />
        : fieldErrors.summary.rest.map(([path, message]) => <FieldError key={path} message={`${path}: ${message}`} />)}
      {!fieldErrors.isEmpty && fieldErrors.summary.hasFieldMessages && <p class="error-text">{texts.previewInvalid}</p>}
      <div class="messages">{error === null && data?.previews.map((one) => <MessageView key={one.event} message={one} />)}</div>
    </details>
  );
}

function MessageView({ message: { event, subject, text, request } }: { message: Message }) {
  const title = event === 'monitor.up' ? texts['monitor.up'] : texts['monitor.down'];
  const body = request === null ? null : bodyText(request);
  return (
    <section aria-label={title}>
      <strong aria-hidden="true">{title}</strong>
      {subject !== null && <p><strong>{subject}</strong></p>}
      {text !== null && <pre tabIndex={0}>{text}</pre>}
      {request !== null && body !== null && (text === null ? <Request request={request} body={body} /> : (
        <details><summary>{texts.request}</summary><Request request={request} body={body} /></details>
      ))}
    </section>
  );
}

function Request({ request: { method, url, content_type: type }, body: { text, isInvalid } }: {
  request: NonNullable<Message['request']>; body: ReturnType<typeof bodyText>;
}) {
  return (
    <>
      <p class="faint small"><code>{method} {url}</code><br /><code>Content-Type: {type}</code></p>
      {isInvalid && <p class="error-text">{texts.invalidJson}</p>}
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}

/** JSON and forms, laid out for reading. A template may give JSON that is invalid. */
function bodyText({ content_type: type, body }: NonNullable<Message['request']>): { text: string; isInvalid: boolean } {
  if (type === 'application/x-www-form-urlencoded') {
    return { text: [...new URLSearchParams(body)].map((field) => field.join(' = ')).join('\n'), isInvalid: false };
  }
  if (!type.startsWith('application/json')) return { text: body, isInvalid: false };
  try {
    return { text: JSON.stringify(JSON.parse(body), null, 2), isInvalid: false };
  } catch {
    return { text: body, isInvalid: true };
  }
}
