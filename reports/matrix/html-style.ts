/** The style sheet of the page of a matrix: light or dark, wide and narrow, and on paper. */

export const style = `
:root {
  color-scheme: light dark;
  --bg: #f7f7f5; --card: #fff; --ink: #1b1d22; --soft: #5a5e68; --faint: #666a74; --line: #e2e2dd; --hover: #f1f1ed; --link: #1f55a8;
  --works: #1c7a40; --violations: #9a5b00; --refuses: #6a58a8; --breaks: #c22530; --hangs: #a3218f; --cannot: #8a8e97;
  --works-bg: #d9efe0; --violations-bg: #fbe7bd; --refuses-bg: #e4dff5; --breaks-bg: #f8d3d5; --hangs-bg: #f3d7ee; --cannot-bg: #e8e8e5;
  --client-bg: #f3f7fd; --server-bg: #fdf7ec;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) { :root {
  --bg: #15171b; --card: #1c1f25; --ink: #e7e8ea; --soft: #abb0ba; --faint: #8f949e; --line: #30343c; --hover: #242830; --link: #8ab4f8;
  --works: #7fd89b; --violations: #f0c060; --refuses: #c3b5f5; --breaks: #ff9095; --hangs: #f09fe0; --cannot: #8f949e;
  --works-bg: #1c3a27; --violations-bg: #46360f; --refuses-bg: #322a52; --breaks-bg: #521f24; --hangs-bg: #4a1f43; --cannot-bg: #2a2d33;
  --client-bg: #1d2531; --server-bg: #2a251b;
} }
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans", sans-serif }
main { max-width: 92rem; margin: 0 auto; padding: 0 1.5rem 5rem }
header { padding-top: 2rem }
h1 { font-size: 1.8rem; line-height: 1.25; margin: 0 0 .2rem; letter-spacing: -.02em }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .2rem }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem }
p, ul, ol { margin: 0 }
small { font-size: .78rem; color: var(--faint) }
code, pre, .at { font-family: var(--mono); font-size: .8rem; overflow-wrap: anywhere }
a { color: var(--link); text-underline-offset: .15em }
summary { cursor: pointer }
[hidden] { display: none !important }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; border-radius: 4px }
.lead { color: var(--soft); margin-bottom: .9rem; max-width: 70rem }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1rem }
.tiles button { font: inherit; color: inherit; text-align: left; padding: .45rem .9rem; min-width: 6rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; cursor: pointer }
.tiles button:hover { background: var(--hover) }
.tiles button[aria-pressed=true] { border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link) }
.tiles b { display: block; font-size: 1.4rem; line-height: 1.2; background: none !important }
.tiles span { font-size: .85rem; color: var(--soft) } .tiles i { margin-right: .4rem }
.chip { display: inline-flex; align-items: center; justify-content: center; width: 1.15rem; height: 1.15rem; padding: 0; border: 0; border-radius: 4px; font: 700 .72rem/1 var(--mono); cursor: pointer; vertical-align: middle }
i.chip { font-style: normal; cursor: default }
button.chip:hover { box-shadow: 0 0 0 2px currentColor }
button.chip[aria-current=true] { box-shadow: 0 0 0 2px var(--ink) }
.dim { opacity: .12 }
.v-works { color: var(--works); background: var(--works-bg) }
.v-works-with-violations { color: var(--violations); background: var(--violations-bg) }
.v-refuses { color: var(--refuses); background: var(--refuses-bg) }
.v-breaks { color: var(--breaks); background: var(--breaks-bg) }
.v-hangs { color: var(--hangs); background: var(--hangs-bg) }
.v-cannot-be-tried { color: var(--cannot); background: var(--cannot-bg) }
.none { display: inline-block; width: 1.15rem; height: 1.15rem }
.none::before { content: ""; display: block; width: 3px; height: 3px; margin: .5rem; border-radius: 2px; background: var(--line) }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px }
.matrix { border-collapse: collapse; width: max-content; min-width: 100% }
.matrix th, .matrix td { border-bottom: 1px solid var(--line); border-right: 1px solid var(--line); padding: .4rem .55rem; vertical-align: top; text-align: left; font-weight: 400 }
.matrix tr:last-child > * { border-bottom: 0 } .matrix tr > *:last-child { border-right: 0 }
.matrix thead th { vertical-align: bottom; max-width: 9rem }
.matrix b, .matrix small { display: block } .matrix b { font-weight: 650; overflow-wrap: anywhere }
.matrix small { line-height: 1.25; max-width: 9rem; overflow-wrap: anywhere }
.matrix tbody th { position: sticky; left: 0; background: var(--card); z-index: 1; display: flex; gap: .8rem; justify-content: space-between; border-bottom: 0; min-width: 13rem }
.matrix tbody tr + tr > * { border-top: 1px solid var(--line) }
.lines span { display: block; height: 1.32rem; line-height: 1.32rem; font-size: .75rem; color: var(--faint); text-align: right }
.line { display: flex; gap: .17rem; height: 1.32rem; align-items: center }
#cell { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.3rem 1.3rem; margin-top: 1.4rem; scroll-margin-top: 1rem }
#cell h2 { margin: 0; overflow-wrap: anywhere } #cell .verdict { display: inline-block; border-radius: 6px; padding: .05rem .6rem; font-weight: 650; margin: .4rem 0 }
#cell .reason { max-width: 75rem; overflow-wrap: anywhere }
#cell .facts { color: var(--soft); font-size: .88rem; margin-top: .3rem }
#cell .replay { display: block; background: var(--bg); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .7rem; margin-top: .6rem; white-space: pre-wrap }
.steps { border-collapse: collapse; font-size: .88rem; width: 100% } .steps td { padding: .15rem .9rem .15rem 0; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
.steps td:first-child, .steps td:nth-child(2) { white-space: nowrap } .bad { color: var(--breaks); font-weight: 600 }
.findings { padding-left: 1.1rem } .findings li { margin: .3rem 0; overflow-wrap: anywhere } .findings b { font-weight: 650 }
.talk { list-style: none; padding: 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden }
.talk li { display: grid; grid-template-columns: 4.6rem 4.4rem 1fr; gap: .6rem; padding: .2rem .7rem } .talk li + li { border-top: 1px solid var(--line) }
.talk .at, .talk .by { color: var(--faint) } .talk .by { font-size: .82rem } .talk code { white-space: pre-wrap }
.talk .client { background: var(--client-bg) } .talk .server { background: var(--server-bg) } .talk .evidence { box-shadow: inset 4px 0 0 var(--breaks) }
.kind { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .5rem 1rem; margin: .5rem 0 } .kind > summary { font-weight: 600 }
.difference { margin: .35rem 0 .35rem .6rem } .difference ul { padding-left: 1.4rem } .difference p { font-size: .8rem; color: var(--soft) } .difference a { margin-right: .3rem }
footer { color: var(--faint); font-size: .82rem; margin-top: 3rem }
@media print { #cell, .tiles { display: none } }
`;
