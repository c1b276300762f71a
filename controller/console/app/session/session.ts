import { computed, effect, signal } from '@preact/signals';
import { answer, api } from '../api/client.ts';
import { ApiError } from '../api/api-error.ts';
import type { paths } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { sessionTexts } from '../texts/session.ts';
import { chosenOrganization, chosenProject, endings } from './chosen.ts';

type Me = paths['/api/auth/me']['get']['responses']['200']['content']['application/json']['data'];

/** Who is signed in. `unknown` until the API has said so. */
export const session = signal<{ state: 'unknown' | 'out' | 'offline' } | { state: 'in'; me: Me }>({ state: 'unknown' });

/** The API no longer knows the session of somebody who may be in the middle of a form. */
export const hasEnded = signal(false);

export const me = computed(() => (session.value.state === 'in' ? session.value.me : null));

/** The project that is shown: the chosen one, else the default one. */
export const project = computed(() => {
  const projects = me.value?.projects ?? [];
  const organization = chosenOrganization.value ?? me.value?.organizations[0]?.id;
  const own = projects.filter(({ organization_id: id }) => id === organization);
  return own.find(({ id }) => id === chosenProject.value) ?? own.find((one) => one.is_default) ?? own[0] ?? null;
});

export const organization = computed(() => {
  const all = me.value?.organizations ?? [];
  return all.find(({ id }) => id === chosenOrganization.value) ?? all[0] ?? null;
});

const WRITERS = ['owner', 'admin'];

/** Whether the reader may change monitors, incidents and what belongs to them. */
export const canEdit = computed(() => ['admin', 'editor'].includes(project.value?.role ?? ''));
/** Whether the reader may change destinations, pages and subscribers of the project. */
export const canAdministerProject = computed(() => project.value?.role === 'admin');
/** Whether the reader may change the organization: its people, keys and plan. */
export const canAdminister = computed(() => WRITERS.includes(organization.value?.role ?? ''));

/** Asks the API who is signed in. Never rejects. */
export async function readSession(): Promise<void> {
  try {
    const read = await answer(api.GET('/api/auth/me'));
    choose(remembered(read));
    session.value = { state: 'in', me: read };
  } catch (error) {
    // Who is in stays in: what is shown may hold what they have entered.
    if (session.peek().state === 'in') return;
    const isOut = error instanceof ApiError && error.status === 401;
    session.value = { state: isOut ? 'out' : 'offline' };
  }
}

/** Reads the session that signing in has just begun. Rejects if this browser did not get to keep it. */
export async function beginSession(): Promise<void> {
  await readSession();
  if (session.value.state === 'out') throw new Error(sessionTexts.notKept);
}

/** Goes on with what is shown, once the same person has a session again. */
export async function resumeSession(): Promise<void> {
  const read = await answer(api.GET('/api/auth/me'));
  if (read.user.id !== me.value?.user.id) location.reload();
  session.value = { state: 'in', me: read };
  hasEnded.value = false;
  await queries.invalidateQueries();
}

/** Ends the session here and on the server. */
export async function signOut(): Promise<void> {
  await answer(api.POST('/api/auth/logout'));
  leave();
}

/** Shows another project, and reads everything anew. */
export function chooseProject(id: string): void {
  const found = me.value?.projects.find((one) => one.id === id);
  if (found === undefined) return;
  choose(found);
  localStorage.setItem('project', found.id);
  queries.clear();
}

/** Shows the default project of an organization, and nothing of what was read before. */
export function chooseOrganization(id: string): void {
  queries.clear();
  const found = me.value?.projects.find((one) => one.organization_id === id && one.is_default);
  if (found !== undefined) chooseProject(found.id);
}

export function leave(): void {
  queries.clear();
  chosenOrganization.value = null;
  chosenProject.value = null;
  hasEnded.value = false;
  session.value = { state: 'out' };
}

function choose(found: { id: string; organization_id: string } | null): void {
  chosenOrganization.value = found?.organization_id ?? null;
  chosenProject.value = found?.id ?? null;
}

/** The project of the address, else the one chosen last here. */
function remembered({ projects }: Me): Me['projects'][number] | null {
  const wanted = new URLSearchParams(location.search).get('project') ?? localStorage.getItem('project');
  return projects.find(({ id }) => id === wanted) ?? null;
}

effect(() => {
  if (endings.value > 0 && session.peek().state === 'in') hasEnded.value = true;
});
