import { createHash } from 'node:crypto';

const DARK = '--ground: #10161d; --card: #1a232d; --text: #e8edf3; --line: #93a4b6; --accent: #9cccf8; ' +
  '--good: #7ee2a0; --warning: #ffd479; --bad: #ffb4ab;';

/** Text has a contrast of at least 7 to 1 in both themes; each state is named, too, not only coloured. */
export const PUBLIC_STYLE = `
:root { color-scheme: light dark; --ground: #f5f7f9; --card: #fff; --text: #16202c; --line: #5b6b7d; --accent: #0b4f8a; --good: #0b5227; --warning: #6b4300; --bad: #8a1515; }
@media (prefers-color-scheme: dark) { [data-theme="system"] { ${DARK} } }
[data-theme="dark"] { color-scheme: dark; ${DARK} }
[data-theme="light"] { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1.25rem; background: var(--ground); color: var(--text); font: 1.0625rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
.page { contain: paint; }
h1 { font-size: 1.8rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1.0625rem; margin: 0; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: -3px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
header img { max-width: 100%; }
.site { font-weight: 600; margin: .5rem 0; }
.text { white-space: pre-line; margin: .5rem 0; }
.overall { padding: 1rem; border: 2px solid currentColor; border-radius: .5rem; font-size: 1.25rem; font-weight: 600; background: var(--card); }
.old { padding: .75rem 1rem; border-left: 4px solid currentColor; font-weight: 600; }
.operational, .up, .resolved { color: var(--good); }
.degraded, .partial_outage, .maintenance, .minor { color: var(--warning); }
.major_outage, .down, .major, .critical { color: var(--bad); }
ul { list-style: none; margin: 0; padding: 0; }
.components > li, article { padding: .75rem 1rem; margin-bottom: .5rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.components > li { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.components a { flex: 1 1 12rem; font-weight: 600; }
.components span, .state { font-weight: 600; margin: 0; }
.components p, details { flex-basis: 100%; margin: 0; font-size: .9375rem; }
summary { list-style: none; cursor: pointer; padding: .25rem 0; }
summary::-webkit-details-marker { display: none; }
summary:hover svg { outline: 1px solid var(--line); outline-offset: 2px; }
svg { display: block; width: 100%; height: 2rem; }
.bars path, summary path { fill: none; stroke-width: 2; stroke-dasharray: 2 1; }
.u { stroke: var(--good); }
.g { stroke: var(--warning); }
.d { stroke: var(--bad); }
summary .n, .bars .n { stroke: var(--line); stroke-width: .4; }
figure { margin: 0; }
figure p { margin: 0; font-size: .9375rem; }
.chart { height: 8rem; border: solid var(--line); border-width: 1px 0; }
.chart path { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
table { width: 100%; border-collapse: collapse; margin-top: 1rem; }
caption { text-align: left; }
th, td { padding: .25rem .5rem .25rem 0; text-align: left; font-weight: 400; border-bottom: 1px solid var(--line); }
thead th { font-weight: 600; }
tbody th { white-space: nowrap; }
label { font-weight: 600; }
form p { margin: 0 0 .5rem; }
input, button { max-width: 100%; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
input { width: 20rem; }
button { font-weight: 600; cursor: pointer; }
.embed { padding: .75rem; }
.embed h1 { font-size: 1.0625rem; margin: 0; }
.embed p { margin: 0; font-weight: 600; }
footer { margin-top: 2rem; font-size: .9375rem; }
.languages { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.languages a { display: inline-block; padding: .25rem 0; }
`;

/** Changes with the style, so that browsers may keep what is there for ever. */
export const STYLE_PATH =
  `/status/assets/page-${createHash('sha256').update(PUBLIC_STYLE).digest('hex').slice(0, 16)}.css`;

/** While it is at STYLE_PATH, which its content names. */
export const STYLE_HEADERS = {
  'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=31536000, immutable',
};
