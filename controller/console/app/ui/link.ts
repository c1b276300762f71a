import { me, project } from '../api/session.ts';

/** The URL of a view. With several projects it includes this one, so that the link works for other users. */
export function href(path: string): string {
  const [base = '', query = ''] = path.split('?');
  const params = new URLSearchParams(query);
  const isOnly = (me.value?.projects.length ?? 0) < 2;
  if (!isOnly && project.value !== null && !project.value.is_default) params.set('project', project.value.id);
  const text = params.toString();
  return text === '' ? base : `${base}?${text}`;
}
