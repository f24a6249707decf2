import { facts } from '../parts/facts.ts'
import { type Html, type HtmlValue, html } from '../parts/html.ts'
import type { Content, DescribedAnswer, DescribedOperation, Parameter } from './document.ts'
import { kindOf, valueHtml } from './schema.ts'
import { joined, paragraphs, prose } from '../parts/prose.ts'

export interface PlacedOperation extends DescribedOperation {
  readonly method: string
  /** null: the URL of a destination. */
  readonly path: string | null
}

export function operationHtml(operation: PlacedOperation): Html {
  const { operationId: id, method, path, summary, description, parameters = [], requestBody, responses } = operation
  const answers = Object.entries(responses)
  const isError = ([status]: readonly [string, unknown]) => path !== null && status >= '4'
  return html`<section class="operation">
<h3 id="${id}">${requestLine(method, path)} ${summary}</h3>
<p class="hint">Operation <code>${id}</code></p>
${description !== undefined && paragraphs(description)}
${path !== null && html`<p>Access: ${accessHtml(operation)}</p>`}
${parameters.length > 0 && html`<h4>Parameters</h4>\n${facts(parameters.map(parameterFact))}`}
${requestBody && bodyHtml(requestBody)}
<h4>Answers</h4>
${facts(answers.filter((answer) => !isError(answer)).map(answerFact))}
${path !== null && errorsHtml(answers.filter(isError))}
</section>
`
}

/** The method, and where the request goes. */
export function requestLine(method: string, path: string | null): Html {
  return html`<span class="method">${method.toUpperCase()}</span> <code>${path ?? 'your URL'}</code>`
}

/** One of the alternatives is enough. */
function accessHtml({ security }: DescribedOperation): HtmlValue {
  if (security.length === 0) return 'everybody, without a token'
  return joined(
    security.map((schemes) => {
      const all = Object.entries(schemes)
      return all.length === 0 ? 'nothing' : joined(all.map(schemeHtml), ' and ')
    }),
    ', or ',
  )
}

function schemeHtml([name, scopes]: readonly [string, readonly string[]]): Html {
  const needed = scopes.map((scope) => html`<code>${scope}</code>`)
  return html`<a href="#access-${name}">${name}</a>${needed.length > 0 && html` with ${joined(needed, ', ')}`}`
}

function parameterFact({ name, in: place, required, schema, description }: Parameter): readonly [Html, Html] {
  const title = html`<code>${name}</code> <span class="rules">${place}</span>`
  return [title, valueHtml({ ...schema, ...(description && { description }) }, required ? 'required' : null)]
}

function bodyHtml({ required, content }: NonNullable<DescribedOperation['requestBody']>): Html {
  return html`<h4>Request body</h4>
<p>${mediaHtml(content)}${required && html` <strong>required</strong>`}</p>
${exampleHtml(content)}`
}

function mediaHtml(content: Content): HtmlValue {
  const bodies = Object.entries(content)
  return joined(
    bodies.map(([type, { schema }]) => html`<code>${type}</code>${schema && html`: ${kindOf(schema)}`}`),
    ', or ',
  )
}

function answerFact([status, answer]: readonly [string, DescribedAnswer]): readonly [string, HtmlValue] {
  return [status, [answerHtml(answer), exampleHtml(answer.content)]]
}

function answerHtml({ description, headers = {}, content = {} }: DescribedAnswer): Html {
  const own = Object.entries(headers).filter(([, header]) => header.description !== undefined)
  return html`${prose(description)}${Object.keys(content).length > 0 && html`<br>${mediaHtml(content)}`}${own.map(
    ([name, header]) => html`<br>Header <code>${name}</code>: ${prose(header.description ?? '')}`,
  )}`
}

/** Closed, with each body in one line: operations have much the same. */
function errorsHtml(answers: readonly (readonly [string, DescribedAnswer])[]): Html {
  const statuses = answers.map(([status]) => status).join(', ')
  return html`<h4>Errors</h4>
<details><summary>${statuses}</summary>
${facts(answers.map(([status, answer]) => [status, [answerHtml(answer), lineHtml(answer.content)]]))}</details>`
}

function lineHtml(content: Content | undefined): Html | null {
  const example = exampleOf(content)
  return example === undefined ? null : html`<br><code>${JSON.stringify(example)}</code>`
}

function exampleHtml(content: Content | undefined): Html | null {
  const example = exampleOf(content)
  if (example === undefined) return null
  return html`<details><summary>Example</summary>
<pre>${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}</pre></details>`
}

/** All media types of a body have the same one. */
function exampleOf(content: Content = {}): unknown {
  return Object.values(content)[0]?.example
}
