/** The style sheet: light or dark according to the setting of the reader, wide and narrow, and on paper. */

export const style = `
:root {
  color-scheme: light dark;
  --bg: #f7f7f5; --card: #fff; --ink: #1b1d22; --soft: #5a5e68; --faint: #666a74; --line: #e2e2dd; --hover: #f1f1ed;
  --link: #1f55a8; --ours: #2f62b8; --theirs: #a0630a; --ours-bg: #f3f7fd; --theirs-bg: #fdf7ec;
  --key: #7a3e9d; --string: #1f6f3f; --number: #1d5fa8; --word: #a3302a;
  --error: #a3218f; --violation: #c22530; --warning: #9a5b00; --note: #2f62b8; --known: #6a58a8;
  --inconclusive: #0b7480; --pass: #1c7a40; --rest: #666a74;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) { :root {
  --bg: #15171b; --card: #1c1f25; --ink: #e7e8ea; --soft: #abb0ba; --faint: #8f949e; --line: #30343c; --hover: #242830;
  --link: #8ab4f8; --ours: #8ab4f8; --theirs: #e8b45a; --ours-bg: #1d2531; --theirs-bg: #2a251b;
  --key: #cfa4ee; --string: #8fd3a6; --number: #8ab4f8; --word: #f29b94;
  --error: #ef8fdd; --violation: #ff7b80; --warning: #e9b04c; --note: #8ab4f8; --known: #b7a6f0;
  --inconclusive: #5cc9d3; --pass: #6fcf8f; --rest: #8f949e;
} }
* { box-sizing: border-box }
html { scroll-padding-top: 4.5rem }
body { margin: 0; background: var(--bg); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", "Noto Sans", sans-serif }
code, pre, .seq, .at, .arrow { font-family: var(--mono); font-size: .82rem }
pre { margin: .3rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
a { color: var(--link); text-underline-offset: .15em }
h1, h2, h3, h4, p, dl, dd, ul, ol { margin: 0 }
h2 { font-size: 1.3rem; margin: 3.2rem 0 .2rem; letter-spacing: -.01em }
h3 { display: inline; font-size: 1rem }
h4 { font-size: .8rem; font-weight: 600; color: var(--soft); margin-top: 1rem }
small { font-size: .8rem; color: var(--faint) }
summary { cursor: pointer }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px }
[hidden] { display: none !important }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.skip:not(:focus) { position: absolute; left: -99rem }
.lead { color: var(--soft); margin-bottom: 1rem }
main, .top > div { max-width: 74rem; margin: 0 auto; padding: 0 1.5rem }
main { padding-bottom: 5rem }

.top { position: sticky; top: 0; z-index: 2; background: var(--bg); border-bottom: 1px solid var(--line) }
.top > div { display: flex; gap: 1.25rem; align-items: center; min-height: 3.4rem; flex-wrap: wrap }
.top nav { display: flex; gap: 1.1rem; flex: 1; flex-wrap: wrap }
.top nav a { color: var(--soft); text-decoration: none; font-size: .92rem }
.top nav a:hover { color: var(--ink); text-decoration: underline }
.top input { font: inherit; font-size: .92rem; width: 17rem; max-width: 100%; padding: .3rem .7rem; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: 8px }

.search { display: flex; align-items: center; gap: .7rem; flex-wrap: wrap } #shown { color: var(--soft); font-size: .85rem }
.all button { font: inherit; font-size: .85rem; color: var(--soft); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .1rem .7rem; cursor: pointer }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .85rem; color: var(--soft); margin-bottom: 1rem }
.mark { display: inline-block; min-width: 1ch; text-align: center; font-weight: 700; font-family: var(--mono) }
.badge { font-weight: 650; white-space: nowrap }
.g-error { color: var(--error); fill: var(--error) }
.g-violation { color: var(--violation); fill: var(--violation) }
.g-warning { color: var(--warning); fill: var(--warning) }
.g-note { color: var(--note); fill: var(--note) }
.g-knownFailing { color: var(--known); fill: var(--known) }
.g-inconclusive { color: var(--inconclusive); fill: var(--inconclusive) }
.g-pass { color: var(--pass); fill: var(--pass) }
.g-notObserved, .g-notApplicable { color: var(--rest); fill: var(--rest) }
rect.g-notObserved { opacity: .45 } rect.g-notApplicable { opacity: .22 }

header { padding-top: 2.6rem }
.subject { color: var(--soft); overflow-wrap: anywhere } .subject b { color: var(--ink) } .subject code { display: block; margin-top: .1rem }
h1 { font-size: 1.7rem; line-height: 1.25; letter-spacing: -.02em; margin: .2rem 0 .4rem }
h1 span { display: block }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.4rem 0 }
.tiles button { font: inherit; text-align: left; padding: .55rem .95rem .6rem; min-width: 6.4rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; cursor: pointer }
.tiles button:hover { background: var(--hover) }
.tiles button[aria-pressed=true] { border-color: currentColor; box-shadow: inset 0 0 0 1px currentColor }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums }
.tiles span { font-size: .85rem; color: var(--soft) }
.runs { width: 100%; border-collapse: collapse; font-size: .92rem }
.runs th { text-align: left; font-weight: 600; white-space: nowrap; padding: .3rem 1.2rem .3rem 0; width: 1% }
.runs td { padding: .3rem 0 } .runs td.bars { width: 28%; padding-right: 1.2rem } .runs td:last-child { color: var(--soft) }
.bar { display: block; width: 100%; height: .6rem; border-radius: 3px; overflow: hidden; background: var(--line) }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin-top: 1rem; font-size: .92rem }
.facts dt { color: var(--soft) } .facts dd { overflow-wrap: anywhere } .facts + .hint { margin-top: .8rem }
.index { list-style: none; padding: 0; margin: .8rem 0 1.6rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px }
.index li { display: grid; grid-template-columns: minmax(18rem, 26rem) 1fr auto; gap: .2rem 1.2rem; padding: .5rem 1rem; align-items: baseline }
.index li + li { border-top: 1px solid var(--line) }
.index a { text-decoration: none; overflow-wrap: anywhere } .index a:hover b { text-decoration: underline }
.index b { font-weight: 600; color: var(--ink) } .index > li > span { color: var(--soft); font-size: .92rem }

.finding { background: var(--card); border: 1px solid var(--line); border-left: 4px solid currentColor; border-radius: 10px;
  margin: 1rem 0; padding: .9rem 1.2rem; break-inside: auto }
.finding > * { color: var(--ink) }
.finding > summary { list-style: none } .finding > summary::-webkit-details-marker { display: none }
.finding .title { display: flex; flex-wrap: wrap; gap: .1rem .8rem; align-items: baseline }
.finding h3 { overflow-wrap: anywhere } .places { color: var(--faint); font-size: .88rem }
.brief { display: block; color: var(--soft); font-size: .9rem; overflow-wrap: anywhere }
.finding[open] .brief { display: none }
.mild { color: var(--soft); max-width: 60rem }
.sentence { font-size: 1.12rem; margin-top: .5rem; max-width: 60rem }
.source { font-size: .88rem; overflow-wrap: anywhere }
.variant { margin-top: 1rem } .variant + .variant { border-top: 1px dashed var(--line); padding-top: 1rem }
.compare div { display: grid; grid-template-columns: 5.2rem 1fr; padding: .12rem 0 }
.compare dt { color: var(--soft); font-size: .9rem } .compare dd { font-family: var(--mono); font-size: .85rem; overflow-wrap: anywhere; padding-top: .1rem }
.compare dd div { display: block }
.expected dd { color: var(--pass) } .actual dd { color: var(--violation) }
.wire { list-style: none; padding: 0; margin: .8rem 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden }
.wire li { display: grid; grid-template-columns: 3.6rem 5.4rem 1.4rem 1fr; gap: .4rem; padding: .28rem .7rem; align-items: baseline }
.wire li + li { border-top: 1px solid var(--line) }
.wire .seq { text-align: right } .seq, .at { color: var(--faint) }
.ours { background: var(--ours-bg) } .ours .arrow { color: var(--ours) }
.theirs { background: var(--theirs-bg) } .theirs .arrow { color: var(--theirs) }
.arrow { font-weight: 700 } .words { overflow-wrap: anywhere; min-width: 0 } .words code { white-space: pre-wrap }
.words em { color: var(--faint); font-size: .85rem } .other .words > span { display: block; color: var(--soft); font-family: var(--mono); font-size: .82rem }
.wire summary, .cases summary { font-size: .82rem; color: var(--faint) }
.lanes { margin: .6rem 0 } .lanes > summary { font-size: .88rem; color: var(--soft) }
.lanes ol { list-style: none; padding: 0; margin: .5rem 0; border: 1px solid var(--line); border-radius: 8px; max-height: 40rem; overflow: auto }
.lanes li { display: grid; grid-template-columns: 6.4rem 1fr; gap: .6rem; padding: .18rem .7rem; align-items: baseline }
.lanes .heads { grid-template-columns: 6.4rem 1fr 1fr; position: sticky; top: 0; background: var(--card); border-bottom: 1px solid var(--line); color: var(--soft); font-size: .85rem }
.lanes .heads b + b { text-align: right }
.lanes .note, .beyond { color: var(--soft); font-size: .82rem } .lanes .note .words { text-align: center; overflow-wrap: anywhere } .lanes .note.start .words { text-align: left; padding-right: 22% } .lanes .note.end .words { text-align: right; padding-left: 22% }
.lanes .message { width: 78% } .lanes .message summary { list-style: none; border-bottom: 2px solid; position: relative; padding: 0 1rem .1rem .2rem; font-size: .88rem; overflow-wrap: anywhere }
.lanes .message summary::-webkit-details-marker { display: none }
.lanes .message summary > * { color: var(--ink) } .lanes summary small { color: var(--soft) }
.lanes .right .message { color: var(--ours) } .lanes .left .message { color: var(--theirs); justify-self: end }
.lanes .message summary::after { position: absolute; bottom: -.72rem; font-size: .8rem }
.lanes .right .message summary::after { content: "▶"; right: -.2rem } .lanes .left .message summary::after { content: "◀"; left: -.35rem }
.lanes .message pre { color: var(--ink); background: var(--bg); padding: .4rem .6rem; max-height: 20rem; overflow: auto }
.lanes .is-proof { background: var(--hover) } .lanes em.proof { color: var(--violation) !important; font-style: normal; font-size: .78rem; font-weight: 600; margin-left: .6rem }
.key { color: var(--key) } .string { color: var(--string) } .number { color: var(--number) } .word { color: var(--word) }
.case, .cases { font-size: .88rem; color: var(--soft); overflow-wrap: anywhere } .cases ul { padding-left: 1.2rem }
.more { font-size: .88rem; color: var(--faint) }
.replay, .counterexample, .example { background: var(--bg); border: 1px solid var(--line); border-radius: 8px; padding: .55rem .8rem; position: relative }
.replay button { position: absolute; top: .35rem; right: .4rem; font: inherit; font-size: .8rem; font-family: system-ui, sans-serif; padding: .15rem .6rem;
  color: var(--soft); background: var(--card); border: 1px solid var(--line); border-radius: 6px; cursor: pointer }
.replay:has(button) { padding-right: 4.6rem }

.area, .page { border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 3rem }
.area > summary, .page > summary { display: grid; grid-template-columns: 1rem minmax(9rem, 17rem) minmax(6rem, 16rem) 1fr; gap: 1rem;
  align-items: center; padding: .6rem .3rem; list-style: none }
.area > summary::-webkit-details-marker, .page > summary::-webkit-details-marker { display: none }
.area > summary::before, .page > summary::before { content: "▸"; color: var(--faint) }
.area[open] > summary::before, .page[open] > summary::before { content: "▾" }
.area > summary:hover, .page > summary:hover { background: var(--hover) }
.counts { font-size: .88rem; color: var(--soft) }
.scroll { overflow-x: auto; margin: 0 0 1.2rem 1.3rem }
.grid { border-collapse: collapse; width: 100%; font-size: .92rem; background: var(--card); border: 1px solid var(--line) }
.grid th, .grid td { padding: .35rem .7rem; border-top: 1px solid var(--line); vertical-align: top }
.grid thead th { font-size: .8rem; color: var(--soft); font-weight: 600; text-align: left; border-top: 0 }
.grid thead .run { text-align: center; white-space: nowrap; width: 6.5rem } .grid thead small { display: block; font-weight: 400; white-space: normal }
.columns { display: none }
.grid tbody th { font-weight: 500; text-align: left; min-width: 18rem }
.grid tbody th a { color: inherit; text-decoration-color: var(--line) } .grid .says { display: block; color: var(--soft); font-weight: 400; font-size: .86rem }
.level { font-size: .8rem; color: var(--soft); white-space: nowrap; width: 7rem }
td.run { text-align: center; width: 6.5rem } td.run a { text-decoration: none; padding: 0 .8rem } td.none { background: var(--bg) }
.grid tbody tr:hover > * { background: var(--hover) }
.clause h4 { font-size: .92rem; margin: .5rem 0 .2rem 5rem } .clause h4 a { color: inherit; text-decoration-color: var(--line) }
.clause ul { list-style: none; padding: 0 }
.clause li { display: grid; grid-template-columns: 4rem 1fr; gap: 1rem; padding: .16rem 0 }
.margin { text-align: right; overflow-wrap: anywhere; border-right: 2px solid var(--line); padding-right: .6rem } .margin a { text-decoration: none }
.clause .id { color: var(--faint); font-size: .8rem }
.page[open] { padding-bottom: 1.2rem }
.reasons li { margin: .3rem 0 } .reasons ul { color: var(--soft); font-size: .88rem; columns: 22rem }
.hint, footer { color: var(--faint); font-size: .85rem } footer { margin-top: 4rem; border-top: 1px solid var(--line); padding-top: 1rem }
kbd { font-family: var(--mono); font-size: .78rem; border: 1px solid var(--line); border-radius: 4px; padding: 0 .3rem; background: var(--card) }

@media (max-width: 46rem) {
  main, .top > div { padding: 0 .9rem } h1 { font-size: 1.5rem }
  .top { position: static } .top > div { gap: .6rem; padding-top: .7rem; padding-bottom: .7rem } .top nav { flex: 1 0 100%; gap: .2rem 1rem } .top input { width: 100% } html { scroll-padding-top: .6rem } header { padding-top: 1.4rem }
  .index li { grid-template-columns: 1fr auto } .index > li > span { grid-row: 2; grid-column: 1 / -1 }
  .runs td.bars { display: none } .runs th { white-space: normal; width: 40% }
  .wire li { grid-template-columns: auto auto 1fr; } .wire .words { grid-column: 1 / -1 } .wire .seq { text-align: left }
  .area > summary, .page > summary { grid-template-columns: 1rem 1fr } .area > summary .bar, .page > summary .bar { display: none }
  .counts { grid-column: 2 } .scroll { margin-left: 0 } .grid tbody th { min-width: 12rem }
  .columns { display: block } .grid .level, .grid thead { display: none } .grid tr { display: flex; border-top: 1px solid var(--line) } .grid tbody th { flex: 1; min-width: 0; overflow-wrap: anywhere; border: 0 } .grid td.run { order: -1; width: 2.2rem; padding: .35rem .2rem; border: 0 } td.run a { padding: 0 .4rem }
  .clause h4 { margin-left: 3.1rem } .clause li { grid-template-columns: 2.5rem 1fr; gap: .6rem }
  .lanes li { grid-template-columns: 1fr } .lanes .heads { grid-template-columns: 1fr 1fr } .lanes .heads span { display: none } .lanes .at { display: none } .lanes .message { width: 92% }
  .compare div { grid-template-columns: 1fr } .facts { grid-template-columns: 1fr } .facts dd { margin-bottom: .4rem }
}
@media print {
  :root { --bg: #fff; --card: #fff; --ink: #000; --soft: #333; --faint: #555; --line: #bbb; --hover: #fff; color-scheme: light }
  body { font-size: 10pt } main { max-width: none; padding: 0 } .top, .tiles, .hint, .replay button { display: none }
  .replay:has(button) { padding-right: .8rem }
  h2 { break-after: avoid } .variant .wire li, .clause li, .grid tr, .index li { break-inside: avoid }
  .area, .page { content-visibility: visible } .area > summary::before, .page > summary::before { content: "" }
  .ours, .theirs { background: none } .bar, .g-pass, rect { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`;
