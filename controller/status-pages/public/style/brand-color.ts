/** The lightest and the darkest background of text in the two themes of PUBLIC_STYLE. */
const GROUNDS = { light: 0xf6f8fa, dark: 0x1a222c } as const;
/** Contrast of links to their background, as WCAG AAA requires. */
const CONTRAST = 7;
const STEPS = 50;

/** Mixes an `#rrggbb` color with black or white until links in it are readable in a theme. */
export function readableColor(color: string, theme: keyof typeof GROUNDS): string {
  const goal = theme === 'light' ? 0x000000 : 0xffffff;
  const [own, ground] = [Number.parseInt(color.slice(1), 16), GROUNDS[theme]];
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(own, goal, step / STEPS);
    if (contrast(mixed, ground) >= CONTRAST) return hex(mixed);
  }
  return hex(goal);
}

/** White, or black if white would be hard to read: at least 4.5 to 1 on any color. */
export function colorOn(color: string): '#000' | '#fff' {
  return contrast(0xffffff, Number.parseInt(color.slice(1), 16)) >= 4.5 ? '#fff' : '#000';
}

/** As defined in WCAG 2, from 1 to 21. */
function contrast(one: number, other: number): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: number): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(color: number, goal: number, share: number): number {
  const goals = channels(goal);
  return channels(color).reduce(
    (sum, value, at) => sum * 256 + Math.round(value + ((goals[at] ?? 0) - value) * share), 0,
  );
}

function channels(color: number): number[] {
  return [color >> 16, (color >> 8) & 255, color & 255];
}

function hex(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}
