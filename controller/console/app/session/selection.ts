import { signal } from '@preact/signals';

/** What the session acts on; null: the API's own choice. */
export const selectedOrganization = signal<string | null>(null);
export const selectedProject = signal<string | null>(null);

/** Counts the times that the API no longer knew the session. */
export const expiryCount = signal(0);

export function reportSessionExpired(): void {
  expiryCount.value += 1;
}
