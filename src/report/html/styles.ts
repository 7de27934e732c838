/** How the page looks: one column, light or dark as the reader's system is, and on paper. */

import { ARM_COLOURS, ARM_DASHES, OUTCOME_COLOURS } from "./palette.ts";

const LIGHT = variables(0, {
  page: "#ffffff",
  panel: "#f5f7f9",
  line: "#d3dae2",
  grid: "#e4e9ee",
  text: "#1b2330",
  muted: "#55606e",
  link: "#0b5cad",
  good: "#1a7041",
  doubt: "#855600",
  bad: "#b3261e",
  shade: "#5c6b7d",
  // The series of a plot of one arm.
  offered: "#6b7683",
  sent: "#b8500a",
  ok: "#0067a5",
});

const DARK = variables(1, {
  page: "#12161c",
  panel: "#1a2028",
  line: "#36414e",
  grid: "#28313c",
  text: "#e6eaf0",
  muted: "#a7b2bf",
  link: "#7ab8f5",
  good: "#5fce98",
  doubt: "#e5b551",
  bad: "#ff938a",
  shade: "#8b9bb0",
  offered: "#9aa6b4",
  sent: "#f0954f",
  ok: "#5ab4f0",
});

export const STYLES = `
:root{color-scheme:light;${LIGHT}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;${DARK}}}
@media screen{:root[data-theme=dark]{color-scheme:dark;${DARK}}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;overflow-wrap:break-word}
.wide{max-width:64rem;margin:0 auto;padding:0 1.25rem}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-99rem;background:var(--page);padding:.5rem 1rem;z-index:2}
.skip:focus{left:.5rem;top:.5rem}
h1{font-size:1.75rem;line-height:1.2;margin:1.6rem 0 .3rem;overflow-wrap:anywhere}
h2,h3,h4,h5{line-height:1.25;overflow-wrap:anywhere}
article>header{margin-top:3rem;padding-top:1.25rem;border-top:3px solid var(--text)}
article.only>header{margin-top:0;padding-top:0;border-top:0}
article>header h2{font-size:1.5rem;margin:0}
.title{font-size:1.3rem;font-weight:650;margin:2.75rem 0 .5rem;padding-top:.75rem;border-top:1px solid var(--line)}
.part{font-size:1.05rem;font-weight:650;margin:1.5rem 0 .4rem}
p{margin:.5rem 0}
.muted,figcaption,caption{color:var(--muted)}
.muted{font-size:.9rem}
figcaption{font-size:.9rem;max-width:75ch}
code,pre,kbd{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;margin:.5rem 0;overflow:auto;max-height:32rem;white-space:pre-wrap;overflow-wrap:anywhere}
nav ol,nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:.8rem 0;font-size:.9rem}
nav .results{display:block}
nav .results li{margin:.6rem 0;font-size:1rem}
button{font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:6px;padding:.15rem .6rem;cursor:pointer}
button:hover{border-color:var(--muted)}
.wide>header{position:relative;padding-right:8rem}
.theme{position:absolute;right:0;top:.1rem;font-size:.85rem}
.verdict{border-left:.4rem solid var(--tone);background:var(--panel);border-radius:0 8px 8px 0;padding:.9rem 1.2rem;margin:1.2rem 0}
.verdict p{margin:0 0 .5rem;max-width:75ch}
.verdict .say{font-size:1.25rem;line-height:1.4;max-width:60ch}
.verdict ul{margin:.4rem 0;padding-left:1.2rem}
.tone-good{--tone:var(--good)}.tone-doubt{--tone:var(--doubt)}.tone-bad{--tone:var(--bad)}.tone-none{--tone:var(--muted)}
.mark{color:var(--tone);font-weight:650;white-space:nowrap}
.say .mark{white-space:normal}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.2rem;margin:.7rem 0}
.facts dt{color:var(--muted)}
.facts dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;min-width:min(100%,32rem);font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.2rem 0 .4rem;font-size:.9rem}
caption span{display:block;position:sticky;left:0;max-width:min(75ch,calc(100vw - 2rem))}
caption span span{display:inline}
th,td{padding:.28rem .7rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top;white-space:nowrap}
th,.l{white-space:normal}
th{font-weight:600}
thead th{vertical-align:bottom;border-bottom:2px solid var(--line);max-width:14rem;overflow-wrap:normal}
tbody th,thead th:first-child,.l{text-align:left}
tbody th{font-weight:400;max-width:22rem;overflow-wrap:break-word}
tbody th bdi,tbody th code{white-space:nowrap}
.long{white-space:normal!important}
table.dense{font-size:.84rem}
.dense th,.dense td{padding:.28rem .42rem}
td.l{max-width:34rem;overflow-wrap:anywhere}
.say-more{min-width:14rem}
tr.sub th{font-weight:650;padding-top:.8rem;border-bottom-color:var(--muted)}
tr.best{background:var(--panel)}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--link);font-size:.9rem;width:fit-content}
details.fold>summary{font-size:1rem}
figure{margin:1rem 0 .2rem}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:.8rem 1.6rem}
.plots.one{max-width:31rem;grid-template-columns:1fr}
.plots.small{grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr))}
svg.plot{display:block;width:100%;height:auto;overflow:visible}
svg.plot text{font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;fill:var(--muted)}
svg.plot .name{font-weight:650;fill:var(--text);font-size:12.5px}
svg.plot .strong{fill:var(--text)}
svg.plot .over{paint-order:stroke;stroke:var(--page);stroke-width:3.5px;stroke-linejoin:round}
.stack{display:grid;gap:.8rem;align-content:start}
svg.plot .on{fill:var(--page);font-weight:650}
.small svg.plot text{font-size:13.5px}
.small svg.plot .name{font-size:15px}
.grid{stroke:var(--grid);fill:none}.axis{stroke:var(--muted);fill:none}
.line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;stroke-linecap:butt}
.bound{stroke-dasharray:1 4;stroke-width:2.4}
.band{fill:var(--c);opacity:.16;stroke:none}
.dot{fill:var(--c);stroke:var(--page);stroke-width:.8}
.hollow{fill:var(--page);stroke:var(--c);stroke-width:1.5}
.rod{stroke:var(--c);stroke-width:1.6;fill:none}
.join{stroke:var(--c);stroke-width:1.3;opacity:.65;fill:none}
.segment{fill:var(--c);stroke:var(--page);stroke-width:1}
.shade{fill:var(--shade);opacity:.13}
.edge{stroke:var(--shade);stroke-dasharray:2 3;fill:none}
.change{fill:var(--bad);opacity:.11}
.limit{stroke:var(--bad);stroke-width:1.4;stroke-dasharray:6 4;fill:none}
.theory{stroke:var(--text);stroke-width:1.3;stroke-dasharray:1 3;stroke-linecap:round;fill:none}
.zero{stroke:var(--muted);stroke-width:1.2;fill:none}
.halo{fill:none;stroke:var(--good);stroke-width:2}
.faint{stroke-width:1.3;stroke-dasharray:2 2}
.forest{--c:var(--tone)}
.point{fill:var(--c);opacity:.4}
.cut{fill:var(--tone);stroke:var(--page);stroke-width:.8}
.rest{stroke:var(--good);stroke-width:1.8;stroke-dasharray:8 3;fill:none}
.thin{fill:none;stroke:var(--c);stroke-width:.9;opacity:.42;stroke-linejoin:round}
.thick{stroke-width:2.8}
.upright{stroke-width:2.6}
.span{stroke:var(--text);stroke-width:1.4;fill:none}
.cursor{stroke:var(--text);stroke-width:1;opacity:.55;pointer-events:none}
.s-offered{--c:var(--offered)}.s-sent{--c:var(--sent)}.s-sent .line{stroke-dasharray:6 3}.s-ok{--c:var(--ok)}
.s-offer{--c:var(--sent)}
.s-offered .line{stroke-width:1.4;stroke-dasharray:1.5 2.5}
${ARM_DASHES.map((dash, index) => `.a${index}{--c:var(--a${index})}${dash === "" ? "" : `.a${index} .dash{stroke-dasharray:${dash}}`}`).join("")}
${Object.keys(OUTCOME_COLOURS)
  .map((outcome) => `.o-${outcome}{--c:var(--o-${outcome})}`)
  .join("")}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:.4rem 0;padding:0;font-size:.9rem}
.legend li{display:inline-flex;align-items:center;gap:.4rem;max-width:100%;overflow-wrap:anywhere}
.legend svg{flex:none;width:30px;height:14px}
.legend button{display:inline-flex;align-items:center;gap:.4rem;padding:.05rem .5rem;text-align:left}
.legend button[aria-pressed=false]{opacity:.55;text-decoration:line-through}
.off{display:none}
.readout{font-size:.85rem;font-variant-numeric:tabular-nums;color:var(--text);min-height:1.5em;margin:.1rem 0}
footer{margin:3.5rem 0 2rem;padding-top:.8rem;border-top:1px solid var(--line);font-size:.9rem;color:var(--muted)}
@media (max-width:40rem){
.wide{padding:0 .9rem}
h1{font-size:1.4rem}
.verdict{padding:.8rem .9rem}
.verdict .say{font-size:1.08rem}
.facts{grid-template-columns:1fr;gap:0}
.facts dd{margin-bottom:.45rem}
th,td{padding:.28rem .5rem}
svg.plot text{font-size:14px}
svg.plot .name{font-size:15px}
.small svg.plot text{font-size:13px}
}
@media print{
body{font-size:10.5pt}
.wide{max-width:none;padding:0}
.theme,.skip,.readout,.copy,nav{display:none}
a{color:inherit;text-decoration:none}
.legend button{border:0;padding:0}
details:not([open]){display:none}
summary{color:var(--text)}
figure,.verdict,tr{break-inside:avoid}
.title,.part{break-after:avoid}
.scroll{overflow:visible}
pre{max-height:none}
.plots{grid-template-columns:1fr 1fr}
.plots.small{grid-template-columns:1fr 1fr 1fr}
.shade,.change,.band,.segment,.dot,.cut,.point,.hollow{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`;

function variables(side: 0 | 1, named: Readonly<Record<string, string>>): string {
  return [
    ...Object.entries(named),
    ...ARM_COLOURS.map((pair, index) => [`a${index}`, pair[side]] as const),
    ...Object.entries(OUTCOME_COLOURS).map(([outcome, pair]) => [`o-${outcome}`, pair[side]] as const),
  ]
    .map(([name, value]) => `--${name}:${value};`)
    .join("");
}
