import { signal } from '@preact/signals';

/** The organization and project of requests; null: the API's default. */
export const selectedOrganization = signal<string | null>(null);
export const selectedProject = signal<string | null>(null);

/** Number of times that the API rejected the session. */
export const expiryCount = signal(0);

export function reportSessionExpired(): void {
  expiryCount.value += 1;
}
