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

/** What is shown, whoever chose it. */
export const scheme = computed(() => (theme.value === 'system' ? (isSystemDark.value ? 'dark' : 'light') : theme.value));

effect(() => {
  document.documentElement.dataset['theme'] = scheme.value;
  localStorage.setItem('theme', theme.value);
});
