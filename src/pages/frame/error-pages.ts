import type { Catalogue } from '../../messages/catalogue.ts'
import { PortariaError } from '../../platform/errors.ts'
import { html } from '../parts/html.ts'
import type { PageView } from './page.ts'
import { type Problem, problemHtml, problemOf } from './problem.ts'
import { GatewayFailed, NoSuchPage, OperatorOnly, Refused, ScopeMissing } from './refusals.ts'

/** An error that the frame itself raises. */
export class FrameError extends Error {
  readonly status: number
  readonly reason: 'foreignForm' | 'staleForm' | 'notAllowed' | 'unreadable' | 'tooLarge'

  constructor(status: number, reason: FrameError['reason']) {
    super(reason)
    this.status = status
    this.reason = reason
  }
}

/** What a person reads about an error; null: it is a fault of the gateway, and its text is for the log. */
export function errorPage(error: unknown, words: Catalogue, at: { back: string; requestId: string }): PageView | null {
  const { errors } = words.frame
  const page = (status: number, [title, text]: readonly [string, string], problem?: Problem) =>
    ({ status, title, body: bodyOf(title, text, { ...at, problem, words }) }) satisfies PageView
  if (error instanceof NoSuchPage) return page(404, errors.noSuchPage)
  if (error instanceof ScopeMissing)
    return page(403, [errors.scopeMissing, errors.scopeMissingText(error.scopes.join(', '))])
  if (error instanceof OperatorOnly) return page(403, errors.operatorOnly)
  if (error instanceof Refused) {
    const { answer } = error
    if (answer.status === 404) return page(404, errors.notFound)
    return page(answer.status, answer.status === 403 ? errors.forbidden : errors.refused, problemOf(answer, words))
  }
  if (error instanceof GatewayFailed) return page(503, errors.gateway, problemOf(error.answer, words))
  if (error instanceof PortariaError && error.code === 'queue_full')
    return page(503, errors.gateway, { text: words.problems.codes.queue_full, quote: null })
  if (error instanceof FrameError) return page(error.status, errors[error.reason])
  return null
}

/** Without any detail. */
export function faultPage(words: Catalogue, at: { back: string; requestId: string }): PageView {
  const [title, text] = words.frame.errors.gateway
  return { status: 500, title, body: bodyOf(title, text, { ...at, words }) }
}

function bodyOf(
  title: string,
  text: string,
  {
    back,
    requestId,
    problem,
    words,
  }: { back: string; requestId: string; problem?: Problem | undefined; words: Catalogue },
) {
  return html`<h1>${title}</h1>
<p>${text}</p>
${problem && html`<p class="detail">${problemHtml(problem, words)}</p>`}
<p><a href="${back}">${words.common.back}</a></p>
<p class="hint">${words.frame.requestId}: <code>${requestId}</code></p>`
}
