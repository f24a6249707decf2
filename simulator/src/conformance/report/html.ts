import { createHash } from 'node:crypto'
import { Html, html } from '../../http/html.ts'
import { SERVERS, serverName } from '../fixes/fix.ts'
import type { Source } from '../sources.ts'
import type { Language } from '../text.ts'
import { HTML_MARK, type JsonReport, type JsonScenario } from './json.ts'
import { inOrder, summaryOf, VERDICTS, WORDS } from './words.ts'

const STYLE =
  new Html(`body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
h1{font-size:1.4rem}h1,p,dd{overflow-wrap:anywhere}article{border-left:.4rem solid #767680;padding:.1rem 1rem;margin:1rem 0}
h2{font-size:1rem;margin:.4rem 0}p{margin:.4rem 0}dt{font-weight:600}dd{margin:0 0 .4rem 1rem}
ul{padding-left:1.2rem}li{overflow-wrap:anywhere}
.pass{border-color:#1a7f37}.fail{border-color:#b3261e}.warn{border-color:#9a6700}
@media print{article{break-inside:avoid}}
@media(prefers-color-scheme:dark){body{color:#e4e4e9;background:#1b1b1f}a{color:#9ecbff}}`)
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE.text).digest('base64')}'`

/** One page that loads nothing and runs nothing, and whose only style is its own: also where a server adds a stricter policy, its words stay. */
export function htmlOf(report: JsonReport, language: Language): string {
  const title = `${WORDS.title[language]} ${report.url}`
  return html`<!doctype html>
<html lang="${language === 'pt' ? 'pt-BR' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${new Html(POLICY)}">
${new Html(HTML_MARK)}
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${summaryOf(report, language)}</p>
<p>${WORDS.tried[language]} ${report.at}, ${WORDS.rules[language]}: ${report.preset ?? 'service'}</p>
${linksTo(inOrder(report.scenarios, ['fail', 'warn']), language)}
${inOrder(report.scenarios, ['fail', 'warn', 'pass', 'skip']).map((one) => articleOf(one, language))}
</main>
</body>
</html>
`.text
}

/** To what has to be mended. */
function linksTo(scenarios: readonly JsonScenario[], language: Language): Html | null {
  const links = scenarios.map(
    ({ id, title, verdict }) => html`<li><a href="#${id}">${VERDICTS[verdict][language]}: ${title}</a></li>\n`,
  )
  return links.length === 0 ? null : html`<ul>\n${links}</ul>`
}

function articleOf({ id, title, verdict, reason, why, source, fix }: JsonScenario, language: Language): Html {
  const remedies = SERVERS.map((server) => html`<dt>${serverName(server)}</dt><dd><code>${fix[server]}</code></dd>`)
  const isRemedied = verdict === 'fail' || verdict === 'warn'
  return html`<article class="${verdict}" id="${id}">
<h2>${VERDICTS[verdict][language]}: ${title}</h2>
<p><code>${id}</code> ${reason}</p>
<p>${WORDS.why[language]}: ${why} (${WORDS.source[language]}: ${sourceOf(source)})</p>
${isRemedied ? html`<p>${WORDS.fix[language]}:</p><dl>${remedies}</dl>` : null}</article>
`
}

/** The page follows no link by itself. */
function sourceOf({ document, section, url, read }: Source): Html {
  const where = `${document}, ${section}`
  const shown = url === null ? html`${where}` : html`<a href="${url}" rel="noreferrer">${where}</a>`
  return html`${shown}, ${read}`
}
