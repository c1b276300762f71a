import type { ComponentChildren, JSX } from 'preact';

type Variant = 'primary' | 'plain' | 'danger' | 'quiet';

interface Props extends Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'icon'> {
  variant?: Variant;
  /** An action is in progress: disables the button and tells screen readers why. */
  isBusy?: boolean;
  type?: 'button' | 'submit';
  disabled?: boolean;
  children?: ComponentChildren;
}

export function Button({ variant = 'plain', isBusy = false, type = 'button', disabled, class: more, ...rest }: Props) {
  return (
    <button
      {...rest} type={type} disabled={disabled === true || isBusy} aria-busy={isBusy || undefined}
      class={`button ${variant} ${typeof more === 'string' ? more : ''}`}
    />
  );
}

/** A link styled as a button. */
export function LinkButton({ variant = 'plain', ...rest }: { variant?: Variant } & JSX.HTMLAttributes<HTMLAnchorElement> & { href: string }) {
  return <a {...rest} class={`button ${variant}`} />;
}
