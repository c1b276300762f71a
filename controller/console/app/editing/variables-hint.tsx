import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { project } from '../api/session.ts';
import { variableTexts as texts } from '../texts/variables.ts';
import { href } from '../ui/link.ts';

/** The project's variables, as a monitor writes them. */
export function VariablesHint() {
  const projectId = project.value?.id ?? '';
  const { data } = useQuery({
    queryKey: ['settings', 'variables'],
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/variables', { params: { path: { projectId } } })),
  });
  if (data === undefined) return null;
  const placeholders = data.variables.map(({ name }) => `{{${name}}}`);
  return (
    <p class="hint">
      {placeholders.length === 0 ? texts.createFirst : texts.use}{' '}
      {placeholders.map((text) => <span key={text}><code>{text}</code>{' '}</span>)}
      <a href={href('/settings/variables')}>{texts.manage}</a>
    </p>
  );
}
