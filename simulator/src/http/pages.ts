import { createHash } from 'node:crypto'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import { type Html, html, pageOf, STYLE } from './html.ts'
import { isFromForeignPage } from './same-site.ts'

/** What a page answers. */
export interface PageAnswer {
  readonly status: number
  readonly title: string
  readonly content: Html
}

/** A file in place of a page. */
export interface FileAnswer {
  readonly status: number
  readonly type: string
  readonly bytes: Buffer
}

export interface PageRequest {
  /** Segments of the path by name. */
  readonly params: Readonly<Record<string, string>>
  /** Fields of the form, in the order in which the browser sent them. */
  readonly form: URLSearchParams
}

/** One path with a page or a file, and with what its form does, if it has one. */
export interface Page {
  /** As Express writes it. */
  readonly path: string
  readonly show: (request: PageRequest) => PageAnswer | FileAnswer
  readonly submit?: (request: PageRequest) => PageAnswer | Promise<PageAnswer>
}

const styleHash = createHash('sha256').update(STYLE).digest('base64')

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; ` +
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
const LARGEST_FORM = '64kb'

/** Pages for people: HTML and forms, without scripts. @param report is called with errors that are not answers */
export function createPages(pages: readonly Page[], report: (error: unknown) => void): Router {
  const router = Router({ caseSensitive: true })
  const readForm = express.text({ type: 'application/x-www-form-urlencoded', limit: LARGEST_FORM, inflate: false })
  for (const { path, show, submit } of pages) {
    router.get(path, serve(show))
    if (submit !== undefined) router.post(path, refuseForeignPages, readForm, serve(submit), answerError(report))
  }
  return router
}

/** A page of another origin must not press a button here in the payer's name. */
const refuseForeignPages: RequestHandler = (request, response, next) => {
  if (!isFromForeignPage(request)) return next()
  const content = html`<p>The form was sent by a page of another site. Open this page itself, and send its form.</p>`
  send(response, { status: 403, title: 'This is not possible', content })
}

type Answering = (request: PageRequest) => PageAnswer | FileAnswer | Promise<PageAnswer>

function serve(answer: Answering): RequestHandler {
  return async function servePage(request: Request, response: Response) {
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    send(response, await answer({ params: request.params as Record<string, string>, form }))
  }
}

function answerError(report: (error: unknown) => void): ErrorRequestHandler {
  return function answer(error, _request, response, _next) {
    const { status } = error as { status?: unknown }
    if (typeof status !== 'number') report(error)
    const content = html`<p>The form could not be read.</p>`
    send(response, { status: typeof status === 'number' ? status : 500, title: 'This did not work', content })
  }
}

function send(response: Response, answer: PageAnswer | FileAnswer): void {
  response.status(answer.status).set(HEADERS)
  if ('bytes' in answer) response.type(answer.type).send(answer.bytes)
  else response.type('html').send(pageOf(answer.title, answer.content).text)
}
