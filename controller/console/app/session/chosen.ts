import { signal } from '@preact/signals';

/** What the session acts on; null: the API's own choice. */
export const chosenOrganization = signal<string | null>(null);
export const chosenProject = signal<string | null>(null);

/** Counts the times that the API no longer knew the session. */
export const endings = signal(0);

export function sessionEnded(): void {
  endings.value += 1;
}
