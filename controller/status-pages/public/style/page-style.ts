import { createHash } from 'node:crypto';

const DARK = '--ground: #0f151c; --card: #1a222c; --text: #e8edf3; --line: #93a4b6; --accent: #9cccf8; ' +
  '--good: #6fdc98; --warning: #ffc85c; --bad: #ffa198; --notice: #a5c8ff; --vivid-share: 60%; --fill: 52%;';

/**
 * Text has a contrast of at least 7 to 1 in both themes, and each state has a name besides its color.
 * `--line` borders controls; `--edge` borders static content and may be faint.
 */
export const PUBLIC_STYLE = `
:root { color-scheme: light dark; --ground: #f6f8fa; --card: #fff; --text: #16202c; --line: #5b6b7d; --accent: #0b4f8a; --good: #0b5c30; --warning: #7d4100; --bad: #a11212; --notice: #14509a; --vivid-share: 25%; --fill: 100%; }
@media (prefers-color-scheme: dark) { [data-theme="system"] { ${DARK} } }
[data-theme="dark"] { color-scheme: dark; ${DARK} }
[data-theme="light"] { color-scheme: light; }
* { box-sizing: border-box; }
body { --edge: color-mix(in srgb, var(--line) 28%, var(--card)); --faint: color-mix(in srgb, var(--text) 80%, var(--card)); position: relative; margin: 0 auto; max-width: 53rem; padding: 2.5rem 1.5rem 3rem; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
.page { --edge: color-mix(in srgb, var(--line) 28%, var(--card)); --faint: color-mix(in srgb, var(--text) 80%, var(--card)); contain: paint; }
html { border-top: 5px solid var(--brand, transparent); background: var(--ground); }
h1 { font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; margin: 0; }
main > h1 { margin-bottom: 1.25rem; }
h2 { font-size: 1.125rem; line-height: 1.4; margin: 2.5rem 0 .75rem; }
h3, h4 { font-size: 1rem; margin: 0; }
p { margin: .25rem 0; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
.shapes { display: none; }
.icon { flex: none; width: 1.25rem; height: 1.25rem; fill: currentColor; }
header { margin-bottom: 1.75rem; }
header > :first-child { max-width: calc(100% - 9.5rem); }
header > h1:first-child { min-height: 2.75rem; }
header img { display: block; max-height: 3rem; margin-bottom: 1rem; }
.site { font-weight: 600; }
.text { white-space: pre-line; }
.faint { color: var(--faint); font-size: .9375rem; }
.overall { display: flex; align-items: center; gap: .75rem; margin: 0; padding: 1.125rem 1.25rem; border-radius: .625rem; background: color-mix(in srgb, color-mix(in srgb, var(--vivid) var(--vivid-share), currentColor) var(--fill), #000); font-size: 1.25rem; font-weight: 700; line-height: 1.35; }
.overall span { color: #fff; }
.overall .icon { width: 1.625rem; height: 1.625rem; fill: #fff; }
.old { margin-bottom: 1rem; padding: .75rem 1rem; border-left: 4px solid currentColor; font-weight: 600; }
.operational, .up, .resolved { color: var(--good); --vivid: #3ddc84; }
.degraded, .minor { color: var(--warning); --vivid: #ffb020; }
.partial_outage { color: color-mix(in srgb, var(--warning), var(--bad)); --vivid: #ff7a1a; }
.major_outage, .down, .major, .critical { color: var(--bad); --vivid: #ff5a4f; }
.maintenance { color: var(--notice); --vivid: #4da3ff; }
.paused, .unknown { color: var(--faint); --vivid: #8ba0b5; }
main > .card, main > .faint { margin-top: 1.25rem; }
ul, ol { list-style: none; margin: 0; padding: 0; }
.components, .card, .past, article.open { background: var(--card); border: 1px solid var(--edge); border-radius: .625rem; }
.components > li { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .5rem; padding: 1rem 1.25rem .875rem; }
.components > li + li { border-top: 1px solid var(--edge); }
.components .icon { align-self: flex-start; margin-top: .125rem; }
.components a { max-width: calc(100% - 1.75rem); font-weight: 600; color: inherit; text-decoration: none; }
.components a:hover { text-decoration: underline; }
.components span, .components b { font-size: .9375rem; font-weight: 500; }
.components b { margin-left: auto; font-variant-numeric: tabular-nums; color: var(--faint); }
details { flex-basis: 100%; }
summary { list-style: none; cursor: pointer; }
summary::-webkit-details-marker { display: none; }
.components summary { padding-top: .5rem; }
.components details > p, .components details > ul { padding-top: .25rem; font-size: .9375rem; font-variant-numeric: tabular-nums; }
.bars, .components summary { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; color: var(--faint); font-size: .8125rem; }
.bars svg, .components summary svg { width: 100%; height: 2rem; }
summary:hover > svg { opacity: .8; }
.bars path, summary path { fill: none; stroke-width: 2; stroke-dasharray: 3 1; }
.u { stroke: color-mix(in srgb, #3ddc84 45%, var(--good)); }
.g { stroke: color-mix(in srgb, #ffb020 60%, var(--warning)); }
.d { stroke: color-mix(in srgb, #ff5a4f 45%, var(--bad)); }
.n { stroke: var(--edge); }
.bars i, summary i { font-style: normal; }
.bars i:first-of-type, summary i:first-of-type { display: contents; }
.bars i:first-of-type::after, summary i:first-of-type::after { content: ""; flex: 1; border-top: 1px solid var(--edge); }
article h4 a, article h3 a { color: inherit; text-decoration-color: var(--line); text-underline-offset: .15em; }
article.open { padding: 1rem 1.25rem; border-left: 5px solid currentColor; }
article.open > * { color: var(--text); }
article.open > .faint { color: var(--faint); margin-top: .5rem; }
.past > div { display: grid; grid-template-columns: 11rem 1fr; gap: .25rem 1.25rem; padding: 1rem 1.25rem; }
.past > div + div { border-top: 1px solid var(--edge); }
.past p { margin: 0; }
.past h3 { font-weight: 500; font-size: .9375rem; color: var(--faint); }
article + article { margin-top: 1rem; }
.steps { margin: 1.5rem 0; border-left: 2px solid var(--edge); }
.steps li { padding: 0 0 1.25rem 1.25rem; }
.group { margin-top: .75rem; }
.overall + .group, section + .group { margin-top: 2rem; }
.group > summary { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; padding: .75rem 1.25rem; background: var(--card); border: 1px solid var(--edge); border-radius: .625rem; }
.group > summary::before { content: "+"; width: .75rem; font-weight: 600; color: var(--faint); }
.group[open] > summary::before { content: "–"; }
.group > summary h2 { margin: 0; font-size: 1rem; }
.group > summary p { display: flex; align-items: center; gap: .5rem; margin: 0 0 0 auto; font-size: .9375rem; }
.group > ul { margin: .5rem 0 1.25rem; }
.card { padding: 1.125rem 1.25rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .75rem; margin: 0 0 .75rem; }
.figures > div { padding: .875rem 1rem; background: var(--card); border: 1px solid var(--edge); border-radius: .625rem; }
dt { color: var(--faint); font-size: .875rem; }
dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
figure { margin: 0; }
figure p { margin: 0; font-size: .875rem; color: var(--faint); }
.chart { display: block; width: 100%; height: 8rem; border: solid var(--edge); border-width: 1px 0; }
.chart path { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { padding-bottom: .5rem; text-align: left; color: var(--faint); font-size: .9375rem; }
tbody tr:last-child > * { border-bottom: 0; }
th, td { padding: .375rem .5rem .375rem 0; text-align: left; font-weight: 400; border-bottom: 1px solid var(--edge); }
thead th { font-weight: 600; }
tbody th { white-space: nowrap; }
.subscribe { position: absolute; z-index: 1; top: 2.5rem; right: 1.5rem; }
.subscribe > summary, button { display: block; padding: .5rem 1rem; border: 0; border-radius: .5rem; font: inherit; font-weight: 600; cursor: pointer; color: var(--on-brand, var(--card)); background: var(--brand, var(--accent)); }
.subscribe form { position: absolute; right: 0; width: min(23rem, 100vw - 3rem); margin-top: .5rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .625rem; box-shadow: 0 .5rem 2rem rgb(0 0 0 / .2); }
.title { margin: 0 0 .75rem; font-size: 1.125rem; font-weight: 600; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
form p { color: var(--faint); font-size: .9375rem; margin: .5rem 0 1rem; }
form .title { color: inherit; }
input { width: 100%; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: .5rem; }
button { width: 100%; }
.embed { max-width: none; padding: .75rem; }
.embed h1 { font-size: 1rem; letter-spacing: 0; }
.embed p { display: flex; align-items: center; gap: .5rem; margin: .25rem 0; font-weight: 600; }
footer { margin-top: 3rem; padding-top: 1.5rem; border-top: 1px solid var(--edge); color: var(--faint); font-size: .9375rem; }
.languages { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.languages a { display: inline-block; padding: .25rem 0; }
@media (max-width: 36rem) {
  body { padding: 1.25rem 1rem 2rem; }
  .subscribe { top: 1.25rem; right: 1rem; }
  .subscribe form { width: calc(100vw - 2rem); }
  h1 { font-size: 1.5rem; }
  .components > li, .card, article.open { padding: .875rem 1rem; }
  .past > div { grid-template-columns: 1fr; padding: .875rem 1rem; }
  .components span, .components b { font-size: .875rem; }
  .components > li { display: grid; grid-template-columns: auto 1fr fit-content(45%); align-items: start; }
  .components a { max-width: none; }
  .components b { grid-area: 1 / 3; text-align: right; }
  .components span { grid-area: 2 / 2 / auto / -1; }
  .components details { grid-column: 1 / -1; }
}
`;

/** Contains a hash of the style, so that browsers may cache it forever. */
export const STYLE_PATH =
  `/status/assets/page-${createHash('sha256').update(PUBLIC_STYLE).digest('hex').slice(0, 16)}.css`;

/** Valid for STYLE_PATH only, which names the content. */
export const STYLE_HEADERS = {
  'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=31536000, immutable',
};
