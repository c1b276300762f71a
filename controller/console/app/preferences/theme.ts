import { computed, effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const stored = localStorage.getItem('theme') as Theme | null;
export const theme = signal<Theme>(stored !== null && THEMES.includes(stored) ? stored : 'system');

const system = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(system.matches);
system.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});

/** Makes the view dark unless the user has chosen a theme. */
export const prefersDark = signal(false);

/** The effective color scheme. */
export const scheme = computed(() => {
  if (theme.value !== 'system') return theme.value;
  return isSystemDark.value || prefersDark.value ? 'dark' : 'light';
});

effect(() => {
  document.documentElement.dataset['theme'] = scheme.value;
  localStorage.setItem('theme', theme.value);
});
