import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { PortariaError } from '../../platform/errors.ts'
import { html } from '../parts/html.ts'
import type { PageView } from './page.ts'
import { GatewayFailed, NoSuchPage, Refused, ScopeMissing } from './refusals.ts'

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
  const page = (status: number, [title, text]: readonly [string, string], detail?: string) =>
    ({ status, title, body: bodyOf(title, text, { ...at, detail, words }) }) satisfies PageView
  if (error instanceof NoSuchPage) return page(404, errors.noSuchPage)
  if (error instanceof ScopeMissing)
    return page(403, [errors.scopeMissing, errors.scopeMissingText(error.scopes.join(', '))])
  if (error instanceof Refused && error.status === 404) return page(404, errors.notFound, error.message)
  if (error instanceof Refused && error.status === 403) return page(403, errors.forbidden, error.message)
  if (error instanceof Refused) return page(error.status, errors.refused, error.message)
  if (error instanceof GatewayFailed) return page(503, errors.gateway, error.message)
  if (error instanceof PortariaError && error.code === 'queue_full') return page(503, errors.gateway, error.message)
  if (error instanceof FrameError) return page(error.status, errors[error.reason])
  return null
}

/** Without any detail. */
export function faultPage(words: Catalogue, at: { back: string; requestId: string }): PageView {
  const [title, text] = words.frame.errors.gateway
  return { status: 500, title, body: bodyOf(title, text, { ...at, detail: undefined, words }) }
}

function bodyOf(
  title: string,
  text: string,
  { back, requestId, detail, words }: { back: string; requestId: string; detail: string | undefined; words: Catalogue },
) {
  return html`<h1>${title}</h1>
<p>${text}</p>
${detail && html`<p class="detail" lang="en">${printable(detail)}</p>`}
<p><a href="${back}">${words.common.back}</a></p>
<p class="hint">${words.frame.requestId}: <code>${requestId}</code></p>`
}
