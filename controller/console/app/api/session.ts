import { computed, effect, signal } from '@preact/signals';
import { sessionTexts } from '../texts/session.ts';
import { ApiError } from './api-error.ts';
import { unwrap, api } from './client.ts';
import type { paths } from './openapi.d.ts';
import { queries } from './queries.ts';
import { selectedOrganization, selectedProject, expiryCount } from './selection.ts';

type Me = paths['/api/auth/me']['get']['responses']['200']['content']['application/json']['data'];

/** `unknown` until the API has responded. */
export const session = signal<{ state: 'unknown' | 'out' | 'offline' } | { state: 'in'; me: Me }>({ state: 'unknown' });

/** The session has expired while the user may be filling in a form. */
export const isExpired = signal(false);

export const me = computed(() => (session.value.state === 'in' ? session.value.me : null));

/** The current project: the selected one, else the default. */
export const project = computed(() => {
  const projects = me.value?.projects ?? [];
  const organization = selectedOrganization.value ?? me.value?.organizations[0]?.id;
  const own = projects.filter(({ organization_id: id }) => id === organization);
  return own.find(({ id }) => id === selectedProject.value) ?? own.find((one) => one.is_default) ?? own[0] ?? null;
});

export const organization = computed(() => {
  const all = me.value?.organizations ?? [];
  return all.find(({ id }) => id === selectedOrganization.value) ?? all[0] ?? null;
});

const ADMIN_ROLES = ['owner', 'admin'];

/** Whether the user may change monitors, incidents and related data. */
export const canEdit = computed(() => ['admin', 'editor'].includes(project.value?.role ?? ''));
/** Whether the user may change the project's destinations, pages and subscribers. */
export const canAdministerProject = computed(() => project.value?.role === 'admin');
/** Whether the user may change the organization: its people, keys and plan. */
export const canAdminister = computed(() => ADMIN_ROLES.includes(organization.value?.role ?? ''));

/** Reads the current user from the API. Never rejects. */
export async function readSession(): Promise<void> {
  try {
    const account = await unwrap(api.GET('/api/auth/me'));
    select(rememberedProject(account));
    session.value = { state: 'in', me: account };
  } catch (error) {
    // Stays signed in, because the view may contain unsaved input.
    if (session.peek().state === 'in') return;
    const isOut = error instanceof ApiError && error.status === 401;
    session.value = { state: isOut ? 'out' : 'offline' };
  }
}

/** Reads the session after sign-in. Rejects if the browser did not store the cookie. */
export async function startSession(): Promise<void> {
  await readSession();
  if (session.value.state === 'out') throw new Error(sessionTexts.sessionNotStored);
}

/** Continues with the current view once the same user has signed in again. */
export async function resumeSession(): Promise<void> {
  const account = await unwrap(api.GET('/api/auth/me'));
  if (account.user.id !== me.value?.user.id) location.reload();
  session.value = { state: 'in', me: account };
  isExpired.value = false;
  await queries.invalidateQueries();
}

/** Ends the session here and on the server. */
export async function signOut(): Promise<void> {
  await unwrap(api.POST('/api/auth/logout'));
  clearSession();
}

/** Switches to another project and reloads all data. */
export function chooseProject(id: string): void {
  const found = me.value?.projects.find((one) => one.id === id);
  if (found === undefined) return;
  select(found);
  localStorage.setItem('project', found.id);
  queries.clear();
}

/** Switches to an organization's default project and drops all cached data. */
export function chooseOrganization(id: string): void {
  queries.clear();
  const found = me.value?.projects.find((one) => one.organization_id === id && one.is_default);
  if (found !== undefined) chooseProject(found.id);
}

export function clearSession(): void {
  queries.clear();
  selectedOrganization.value = null;
  selectedProject.value = null;
  isExpired.value = false;
  session.value = { state: 'out' };
}

function select(found: { id: string; organization_id: string } | null): void {
  selectedOrganization.value = found?.organization_id ?? null;
  selectedProject.value = found?.id ?? null;
}

/** The project in the URL, else the one selected last in this browser. */
function rememberedProject({ projects }: Me): Me['projects'][number] | null {
  const wanted = new URLSearchParams(location.search).get('project') ?? localStorage.getItem('project');
  return projects.find(({ id }) => id === wanted) ?? null;
}

effect(() => {
  if (expiryCount.value > 0 && session.peek().state === 'in') isExpired.value = true;
});
