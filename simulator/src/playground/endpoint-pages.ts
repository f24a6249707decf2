import type { Parameter } from '../documents/described-operations.ts'
import { type Html, html } from '../http/html.ts'
import { requiresCertificate } from '../interfaces.ts'
import { type Exchange, type Filled, targetOf } from './caller-calls.ts'
import { SUBJECTS } from './candidates.ts'
import { curlOf } from './curl.ts'
import { type Opened, openForm } from './filled.ts'
import { type FormContext, fieldOf } from './form.ts'
import type { Shown } from './frame.ts'
import { errorsOf, explain, type KnownError } from './known-errors.ts'
import { type Operation, TOKEN } from './operations.ts'
import type { View } from './page.ts'
import { PUBLISHED_PACKAGE, PUBLISHED_VERSION, publishedCall } from './published-call.ts'
import { filled, textIn, type Words } from './words/words.ts'

/** The endpoints of both documents, by document, and those beside them. */
export async function endpointList(view: View): Promise<Shown> {
  const { words, surroundings } = view
  const all = await surroundings.operations()
  const groups = [
    [filled(words.endpoints.document, { number: 1 }), all.filter(({ number }) => number?.startsWith('1:'))],
    [filled(words.endpoints.document, { number: 2 }), all.filter(({ number }) => number?.startsWith('2:'))],
    [words.endpoints.beside, all.filter(({ number, id }) => number === null && id !== TOKEN)],
    [words.endpoints.tokens, all.filter(({ id }) => id === TOKEN)],
  ] as const
  return {
    title: words.sections.endpoints,
    content: html`<p>${words.endpoints.introduction}</p>
${groups.map(
  ([title, operations]) => html`<h2>${title}</h2>
<div class="scroll"><table class="stack"><thead><tr><th scope="col">${words.endpoints.number}</th><th scope="col">${words.endpoints.interface}</th><th scope="col">${words.endpoints.endpoint}</th><th scope="col">${words.endpoints.purpose}</th></tr></thead>
<tbody>${operations.map((operation) => rowOf(view, operation))}</tbody></table></div>`,
)}`,
  }
}

function rowOf(view: View, operation: Operation): Html {
  const { words } = view
  const { on, number, method, path, summary } = operation
  return html`<tr><td data-title="${words.endpoints.number}">${number ?? '–'}</td><td data-title="${words.endpoints.interface}">${on}</td>
<th scope="row"><a href="${addressOf(view, operation)}"><code>${method} ${shownPath(path)}</code></a></th><td data-title="${words.endpoints.purpose}">${textIn(words, summary)}</td></tr>`
}

export function addressOf(view: Pick<View, 'link'>, { on, id }: Pick<Operation, 'on' | 'id'>): string {
  return view.link(`/endpoints/${on}/${id}`)
}

/** As the documents write it. */
function shownPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

export async function findOperation({ surroundings }: View, on: string, id: string): Promise<Operation | undefined> {
  return (await surroundings.operations()).find((one) => one.on === on && one.id === id)
}

/** @param number such as `2:14` */
function numbered(number: string, { endpoints }: Words): string {
  const [document = '', endpoint = ''] = number.split(':')
  return filled(endpoints.numbered, { document, number: endpoint })
}

/** One endpoint: its form, and beside it the request as other programs make it. */
export async function endpointPage(view: View, operation: Operation): Promise<Shown> {
  const { words, caller, surroundings, gateway } = view
  const opened = await openForm(surroundings, gateway, { operation, caller })
  const { method, path, summary, number, on, id } = operation
  const about = number === null ? words.endpoints.beside : numbered(number, words)
  return {
    title: `${method} ${shownPath(path)}`,
    content: html`<p>${textIn(words, summary)} <span class="hint">${about} · ${words.endpoints.interface} <code>${on}</code>${requiresCertificate(on) ? null : html` · ${words.endpoints.noCertificate}`}</span></p>
${opened.isMissing ? missing(view, operation) : null}
<div class="beside">
<section aria-labelledby="request"><h2 id="request">${words.endpoints.request}</h2>
<form class="request" data-call="${id}" data-on="${on}" data-as="${asOf(view)}">
<p class="target"><code><b>${method}</b> ${surroundings.baseOf(caller.environment, on)}${shownPath(path)}</code></p>
${parametersOf(view, operation, opened)}
${bodyOf(view, operation, opened)}
<p class="fields"><button>${words.endpoints.send}</button> <label class="inline"><input type="checkbox" data-anyway autocomplete="off"> ${words.endpoints.anyway}</label></p>
</form>
<h3 id="answer">${words.endpoints.answer}</h3>
<div id="output" role="status" aria-labelledby="answer"><p class="empty">${words.endpoints.notSent}</p></div>
</section>
<section aria-labelledby="programs" id="code"><h2 id="programs">${words.endpoints.programs}</h2>
${programsOf(view, operation, opened.filled)}
</section>
</div>
${answersOf(view, operation)}
${errorTable(view, operation)}`,
  }
}

/** Names the caller in requests of the page. */
export function asOf({ caller }: Pick<View, 'caller'>): string {
  return `${caller.environment} ${caller.application.account}`
}

function missing(view: View, operation: Operation): Html {
  const { words } = view
  const made = SUBJECTS[operation.id]?.made ?? []
  const steps = made.map((one) => html`<li><code>${'operation' in one ? one.operation : one.control}</code></li>`)
  return html`<div class="card"><p>${words.endpoints.missing}</p><ol>${steps}</ol>
<form data-post="/playground/prepare" data-then="reload"><input type="hidden" name="on" value="${operation.on}"><input type="hidden" name="operation" value="${operation.id}"><input type="hidden" name="as" value="${asOf(view)}">
<button>${words.endpoints.prepare}</button><div role="status" data-output></div></form></div>`
}

function parametersOf(view: View, operation: Operation, opened: Opened): Html | null {
  const { words } = view
  if (operation.parameters.length === 0) return null
  const subject = SUBJECTS[operation.id]
  const context: FormContext = { words, exampleOf: opened.exampleOf }
  const fieldFor = (one: Parameter) => {
    const value = opened.filled[one.in === 'path' ? 'params' : 'query'][one.name]
    // Numbers in paths and queries are texts of digits.
    const isOffered = one.name === subject?.segment
    const field = fieldOf(context, {
      schema: one.schema,
      path: [one.name],
      value,
      isRequired: one.required === true,
      ...(isOffered && { offers: OFFERED }),
    })
    const offered = isOffered ? datalist(opened.candidates) : null
    return html`<div data-parameter="${one.in}">${field}${offered}</div>`
  }
  const [inPath, inQuery] = (['path', 'query'] as const).map((place) =>
    operation.parameters.filter((one) => one.in === place),
  ) as [Parameter[], Parameter[]]
  return html`${inPath.length === 0 ? null : html`<fieldset><legend>${words.endpoints.path}</legend>${inPath.map(fieldFor)}</fieldset>`}
${inQuery.length === 0 ? null : html`<fieldset><legend>${words.endpoints.query}</legend>${inQuery.map(fieldFor)}</fieldset>`}`
}

const OFFERED = 'candidates'
const MOST_OFFERED = 50

function datalist(candidates: readonly string[]): Html {
  return html`<datalist id="${OFFERED}">${candidates.slice(0, MOST_OFFERED).map((one) => html`<option value="${one}"></option>`)}</datalist>`
}

function bodyOf({ words }: View, { body }: Operation, opened: Opened): Html | null {
  if (body === null) return null
  const context: FormContext = { words, exampleOf: opened.exampleOf }
  const fields = fieldOf(context, { schema: body.schema, path: [], value: opened.filled.body, isRequired: true })
  return html`<fieldset data-body><legend>${words.endpoints.body}</legend>${fields}</fieldset>
<details class="raw"><summary>${words.endpoints.raw}</summary><label>${words.endpoints.rawHint} <textarea rows="8" data-raw spellcheck="false"></textarea></label></details>`
}

/** The request as curl and as the call of the published package. */
export function programsOf({ words, surroundings, caller }: View, operation: Operation, filled: Filled): Html {
  const published = publishedCall(caller, operation, filled)
  return html`<h3>curl</h3>
${copied(words.endpoints.copy, curlOf(surroundings, caller, operation, filled))}
<h3>${PUBLISHED_PACKAGE} ${PUBLISHED_VERSION}</h3>
${published === null ? html`<p>${words.endpoints.noMethod}</p>` : html`${copied(words.endpoints.copy, published)}<p class="hint">${words.endpoints.leading}</p>`}`
}

function copied(title: string, text: string): Html {
  return html`<div class="copied"><button type="button" class="quiet" data-copy>${title}</button><pre tabindex="0"><code>${text}</code></pre></div>`
}

/** The answer to a request, with the row of the table of codes that explains a refusal. */
export function exchangeOf(
  view: View,
  operation: Operation,
  filled: Filled,
  { answer, failure, durationMs }: Exchange,
): Html {
  const { words } = view
  const sent = html`<p class="target"><code><b>${operation.method}</b> ${targetOf(operation, filled)}</code></p>`
  if (answer === null) return html`${sent}<p class="flash bad">${words.endpoints.noAnswer} ${failure}</p>`
  const { status, headers, text } = answer
  const expected = operation.answers.find((one) => one.status === status)
  const row = status < 400 ? undefined : explain(operation, status, text)
  return html`${sent}<p><span class="badge ${status < 400 ? 'good' : 'bad'}" data-status>${status}</span> ${expected === undefined ? words.endpoints.unexpected : textIn(words, expected.description)} <span class="hint">${durationMs} ms</span></p>
${row === undefined ? null : explanation(view, row)}
<details><summary>${words.endpoints.headers}</summary><dl class="facts">${headers.map(([name, value]) => html`<dt><code>${name}</code></dt><dd><code>${value}</code></dd>`)}</dl></details>
${text === '' ? html`<p class="empty">${words.endpoints.noBody}</p>` : html`<pre tabindex="0" data-answer>${pretty(text)}</pre>`}`
}

function explanation({ words }: View, { code, when, who, status }: KnownError): Html {
  return html`<p class="flash warn" data-explained><code>${status} ${code}</code> (${who}): ${textIn(words, when)}. <span class="hint">${words.endpoints.fromTable}</span></p>`
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function answersOf({ words }: View, { answers }: Operation): Html {
  return html`<h2>${words.endpoints.answers}</h2><dl class="facts">${answers.map(
    ({ status, description }) =>
      html`<dt><span class="badge ${status < 400 ? 'good' : ''}">${status}</span></dt><dd>${textIn(words, description)}</dd>`,
  )}</dl>`
}

function errorTable({ words }: View, operation: Operation): Html {
  const rows = errorsOf(operation)
  return html`<h2>${words.endpoints.errors}</h2><p class="hint">${words.endpoints.strictHint}</p>
<div class="scroll"><table class="stack"><thead><tr><th scope="col">${words.endpoints.code}</th><th scope="col">${words.endpoints.status}</th><th scope="col">${words.endpoints.when}</th><th scope="col">strict</th></tr></thead><tbody>${rows.map(
    ({ status, code, when, strict }) =>
      html`<tr><th scope="row"><code>${code}</code></th><td data-title="${words.endpoints.status}">${status}</td><td data-title="${words.endpoints.when}">${textIn(words, when)}</td><td data-title="strict">${strict}</td></tr>`,
  )}</tbody></table></div>`
}
