import { inContext, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { PortariaError } from '../../platform/errors.ts'
import { html } from '../parts/html.ts'
import type { PageView } from './page.ts'
import { type Problem, problemHtml, problemOf } from './problem.ts'
import { GatewayFailed, NoSuchPage, OperatorOnly, Refused, ScopeMissing } from './refusals.ts'

/** What each says, and what to do. */
const ERRORS = {
  noSuchPage: [say`There is no such page`, say`Check the address, or use the navigation.`],
  notFound: [say`Not found`, say`The gateway has nothing with this id. Check it, or search for another value.`],
  forbidden: [say`Not allowed`, say`You may not see or do this.`],
  operatorOnly: [inContext('operator', say`Not allowed`), say`Only the operator may open this page.`],
  refused: [say`The gateway refused this`, say`Correct what it says, and try again.`],
  gateway: [say`The gateway has a problem`, say`Nothing was changed by this page. Wait a moment, and load it again.`],
  foreignForm: [
    say`This form was not sent by a page of this gateway`,
    say`Nothing was changed. If a proxy is in between, it must pass on the Host header. Open the page again, and repeat.`,
  ],
  staleForm: [say`This form is out of date`, say`Nothing was changed. Go back, load the page again, and repeat.`],
  notAllowed: [say`This address cannot be used like that`, say`Nothing was changed. Use the navigation.`],
  unreadable: [say`The request cannot be read`, say`Nothing was changed. Go back, and try again.`],
  tooLarge: [say`The form is too large`, say`Nothing was changed. Shorten the text, and try again.`],
} satisfies Readonly<Record<string, readonly [title: Said, text: Said]>>

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
export function errorPage(error: unknown, t: Speaker, at: { back: string; requestId: string }): PageView | null {
  const page = (status: number, said: readonly [title: Said, text: Said], problem?: Problem) =>
    viewOf(status, said, { ...at, problem, t })
  if (error instanceof NoSuchPage) return page(404, ERRORS.noSuchPage)
  if (error instanceof ScopeMissing)
    return page(403, [
      say`Not allowed`,
      say`You lack the scope for this page: ${{ scopes: error.scopes.join(', ') }}. The operator can give it to a client.`,
    ])
  if (error instanceof OperatorOnly) return page(403, ERRORS.operatorOnly)
  if (error instanceof Refused) {
    const { answer } = error
    if (answer.status === 404) return page(404, ERRORS.notFound)
    return page(answer.status, answer.status === 403 ? ERRORS.forbidden : ERRORS.refused, problemOf(answer, t))
  }
  if (error instanceof GatewayFailed) return page(503, ERRORS.gateway, problemOf(error.answer, t))
  if (error instanceof PortariaError && error.code === 'queue_full')
    return page(503, ERRORS.gateway, { text: t`Too many requests wait for their answers.`, quote: null })
  if (error instanceof FrameError) return page(error.status, ERRORS[error.reason])
  return null
}

/** Without any detail. */
export function faultPage(t: Speaker, at: { back: string; requestId: string }): PageView {
  return viewOf(500, ERRORS.gateway, { ...at, t })
}

interface Shown {
  readonly back: string
  readonly requestId: string
  readonly problem?: Problem | undefined
  readonly t: Speaker
}

function viewOf(
  status: number,
  said: readonly [title: Said, text: Said],
  { back, requestId, problem, t }: Shown,
): PageView {
  const [title, text] = said.map(t.of) as [string, string]
  const body = html`<h1>${title}</h1>
<p>${text}</p>
${problem && html`<p class="detail">${problemHtml(problem, t)}</p>`}
<p><a href="${back}">${t`Back`}</a></p>
<p class="hint">${t`Request`}: <code>${requestId}</code></p>`
  return { status, title, body }
}
