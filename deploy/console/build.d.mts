export function buildConsole(options: { root: string; outdir: string }): Promise<void>;
