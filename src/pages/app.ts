/** The pages below /ui, for people. Each asks the API's handlers with the rights of the person who is signed in. */

import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import { CATALOGUES, LANGUAGES } from '../messages/catalogue.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { createAsk } from './frame/ask.ts'
import { loadAssets } from './frame/assets.ts'
import {
  chosenLanguage,
  clearSessionCookie,
  hasSessionCookie,
  sessionIdOf,
  setLanguageCookie,
  setSessionCookie,
} from './frame/cookies.ts'
import { errorPage, FrameError, faultPage } from './frame/error-pages.ts'
import { isFromOtherSite, isFromOwnPage, isSameToken } from './frame/form-guard.ts'
import { languageFor } from './frame/language.ts'
import { type Frame, layout } from './frame/layout.ts'
import { passThrough } from './frame/pass-through.ts'
import type { Identities } from './frame/person.ts'
import { NoSuchPage, ScopeMissing, SessionEnded } from './frame/refusals.ts'
import { refererPath, returnPath, START } from './frame/return-path.ts'
import { createSessions, type Session } from './frame/sessions.ts'
import { signInPage } from './frame/sign-in-page.ts'
import { type Html, html } from './html.ts'
import type { FormAction, Page, PageRequest, PageView, Viewer } from './page.ts'
import { ACTIONS, PAGES } from './pages.ts'
import { withQuery } from './path-of.ts'

export interface PagesOptions {
  /** An instance of the API's handlers for requests that come from pages. */
  readonly api: RequestListener
  readonly identities: Identities
  /** The configured kinds of callbacks. */
  readonly kinds: readonly string[]
  readonly idleEndMs: number
  readonly now: () => number
  readonly log: Log
}

export interface Pages {
  /** To be mounted at /ui, behind the API's guards and headers. */
  readonly serve: RequestHandler
  /** Ends every session, and with it every answer that is still being sent. */
  close(): void
}

const FORM_BYTES = 64 * 1024
const SIGN_IN_BYTES = 8 * 1024

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"],
].join('; ')

export function createPages(options: PagesOptions): Pages {
  const { api, identities, kinds, log } = options
  const assets = loadAssets()
  const sessions = createSessions(options)
  const router = Router({ caseSensitive: true, strict: true })

  const certificateOf = (request: Request) => identities.certificateOf(request.socket)

  function sessionOf(request: Request, isUse = true): Session | null {
    const id = sessionIdOf(request)
    const session = id === null ? null : sessions.find(id, certificateOf(request), isUse)
    if (session !== null) identities.recognized(request.socket)
    return session
  }

  function frameOf(request: Request, session: Session | null): Frame {
    const language = chosenLanguage(request) ?? languageFor(request.headers['accept-language'])
    return {
      ...{ assets, language, words: CATALOGUES[language] },
      here: request.method === 'GET' ? request.originalUrl : START,
      viewer: session && viewerOf(session),
      formToken: session && formTokenOf(session),
      flash: session?.flash ?? null,
    }
  }

  function send(response: Response, frame: Frame, view: PageView): void {
    response
      .status(view.status ?? 200)
      .type('html')
      .send(layout(frame, view).toString())
  }

  /** A page's own frame shows the message of the last form, once. */
  function sendPage(request: Request, response: Response, session: Session, view: PageView): void {
    send(response, frameOf(request, session), view)
    if (request.method === 'GET') session.flash = null
  }

  function requestOf(request: Request, response: Response, session: Session): PageRequest {
    const { words, language } = frameOf(request, session)
    return {
      ...{ words, language, kinds, viewer: viewerOf(session), formToken: formTokenOf(session) },
      params: request.params as Record<string, string>,
      query: new URL(request.originalUrl, 'http://pages').searchParams,
      ask: createAsk(api, {
        ...{ token: session.person.token, host: request.headers.host },
        address: request.socket.remoteAddress ?? '',
        requestId: String(response.getHeader('x-request-id')),
      }),
    }
  }

  function showPage(page: Page): RequestHandler {
    return async function show(request, response) {
      const session = sessionOf(request)
      if (session === null) return leadToSignIn(request, response, request.originalUrl)
      const viewer = viewerOf(session)
      if (page.scopes !== null && !page.scopes.some((scope) => viewer.can(scope))) throw new ScopeMissing(page.scopes)
      sendPage(request, response, session, await page.render(requestOf(request, response, session)))
    }
  }

  function submitForm(action: FormAction): RequestHandler {
    return async function submit(request, response) {
      if (!isFromOwnPage(request)) throw new FrameError(403, 'foreignForm')
      const session = sessionOf(request)
      if (session === null) return leadToSignIn(request, response, refererPath(request.headers), 'lost')
      const form = await readForm(request, response, FORM_BYTES)
      if (!isSameToken(form.get('token'), session.formToken)) throw new FrameError(403, 'staleForm')
      const result = await action.submit({ ...requestOf(request, response, session), form })
      if (result.kind === 'page') return sendPage(request, response, session, result.view)
      session.flash = { text: result.message, isError: result.isError ?? false }
      redirect(response, returnPath(result.location))
    }
  }

  function leadToSignIn(request: Request, response: Response, next: string, why?: 'lost'): void {
    const reason = why ?? (hasSessionCookie(request) ? 'ended' : undefined)
    redirect(response, withQuery('/ui/sign-in', { next: next === START ? null : returnPath(next), reason }))
  }

  const showSignIn: RequestHandler = function showSignIn(request, response) {
    const query = new URL(request.originalUrl, 'http://pages').searchParams
    const next = returnPath(query.get('next'))
    if (sessionOf(request) !== null) return redirect(response, next)
    const frame = frameOf(request, null)
    const { reasons } = frame.words.frame
    const reason = query.get('reason') as keyof typeof reasons
    const text = Object.hasOwn(reasons, reason) ? reasons[reason] : null
    send(
      response,
      frame,
      signInPage(frame.words, { next, message: text === null ? null : { text, isError: reason === 'lost' } }),
    )
  }

  const signIn: RequestHandler = async function signIn(request, response) {
    if (!isFromOwnPage(request)) throw new FrameError(403, 'foreignForm')
    const form = await readForm(request, response, SIGN_IN_BYTES)
    const id = (form.get('id') ?? '').trim()
    const next = returnPath(form.get('next'))
    const signed = await identities.signIn({ id, secret: (form.get('secret') ?? '').trim() }, request.socket)
    if (signed.kind === 'person') {
      const earlier = sessionIdOf(request)
      if (earlier !== null) sessions.end(earlier)
      setSessionCookie(request, response, sessions.start(signed.person, certificateOf(request)))
      return redirect(response, next)
    }
    const frame = frameOf(request, null)
    const { words } = frame
    const isWait = signed.kind === 'wait'
    if (isWait) response.setHeader('retry-after', String(signed.seconds))
    const text = isWait ? words.frame.waitToSignIn(signed.seconds) : words.frame.wrongSecret
    const status = isWait ? 429 : 403
    send(response, frame, signInPage(words, { next, id: id.slice(0, 100), message: { text, isError: true }, status }))
  }

  const signOut: RequestHandler = async function signOut(request, response) {
    if (!isFromOwnPage(request)) throw new FrameError(403, 'foreignForm')
    const id = sessionIdOf(request)
    const session = sessionOf(request)
    if (session !== null && id !== null) {
      const form = await readForm(request, response, FORM_BYTES)
      if (!isSameToken(form.get('token'), session.formToken)) throw new FrameError(403, 'staleForm')
      sessions.end(id)
    }
    clearSessionCookie(request, response)
    redirect(response, '/ui/sign-in?reason=out')
  }

  const chooseLanguage: RequestHandler = function chooseLanguage(request, response) {
    const language = LANGUAGES.find((one) => one === request.params.language)
    if (language === undefined) throw new NoSuchPage()
    setLanguageCookie(request, response, language)
    redirect(response, returnPath(new URL(request.originalUrl, 'http://pages').searchParams.get('next')))
  }

  const answerError: ErrorRequestHandler = function answerError(error: unknown, request, response, next) {
    if (response.headersSent) return next(error)
    if (error instanceof SessionEnded) {
      const id = sessionIdOf(request)
      if (id !== null) sessions.end(id)
      const from = request.method === 'POST' ? refererPath(request.headers) : request.originalUrl
      return leadToSignIn(request, response, from, request.method === 'POST' ? 'lost' : undefined)
    }
    const frame = frameOf(request, sessionOf(request, false))
    const back = request.method === 'POST' ? refererPath(request.headers) : START
    const at = { back, requestId: String(response.getHeader('x-request-id')) }
    const known = errorPage(httpErrorOf(error) ?? error, frame.words, at)
    if (known !== null) return send(response, frame, known)
    const { method, baseUrl, path } = request
    const stack = error instanceof Error ? error.stack : undefined
    log.error(
      { requestId: at.requestId, method, path: baseUrl + path, error: messageOf(error), stack, hint: FAULT },
      'page.failed',
    )
    send(response, frame, faultPage(frame.words, at))
  }

  router.use(setHeaders)
  router.get('/assets/:version/:name', assets.serve)
  router.get('/language/:language', chooseLanguage)
  router.get('/sign-in', showSignIn)
  router.post('/sign-in', signIn)
  router.post('/sign-out', signOut)
  router.use('/api', passThrough({ api, findSession: (request) => sessionOf(request, false), isFromOtherSite }))
  // Without the slash, relative links of a person's bookmark would lead elsewhere.
  router.get('/', (request, response, next) => (isBare(request) ? redirect(response, START) : next()))
  for (const { page } of PAGES) router.get(page.path, showPage(page))
  for (const action of ACTIONS) router.post(action.path, submitForm(action))
  router.use(function refuseOthers(request, response) {
    const allowed = methodsAt(request)
    if (allowed.length === 0) throw new NoSuchPage()
    response.setHeader('allow', allowed.join(', '))
    throw new FrameError(405, 'notAllowed')
  })
  router.use(answerError)
  return { serve: router, close: sessions.close }
}

const FAULT = 'report this fault with the stack: the page is shown again after a reload'

/** Beside those of the API. */
const setHeaders: RequestHandler = function setHeaders(_request, response, next) {
  response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY)
  // `no-referrer` would take the origin from forms too, by which they are recognized.
  response.setHeader('referrer-policy', 'same-origin')
  response.setHeader('x-frame-options', 'DENY')
  response.setHeader('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
  next()
}

function viewerOf({ person }: Session): Viewer {
  const { id, name, environment } = person
  return {
    ...{ id, name, environment },
    can(scope) {
      const rights = person.rights()
      return rights === 'all' || (rights?.has(scope) ?? false)
    },
  }
}

function formTokenOf({ formToken }: Session): Html {
  return html`<input type="hidden" name="token" value="${formToken}">`
}

function isBare({ originalUrl }: Request): boolean {
  return /^\/ui(\?|$)/i.test(originalUrl)
}

/** 303: the browser follows with GET. */
function redirect(response: Response, location: string): void {
  response.status(303).setHeader('location', location).end()
}

/** @throws FrameError */
async function readForm(request: Request, response: Response, limit: number): Promise<URLSearchParams> {
  if (!request.is('application/x-www-form-urlencoded')) throw new FrameError(415, 'unreadable')
  const read = express.raw({ type: () => true, limit, inflate: false })
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
  })
  return new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '')
}

/** Libraries set a status below 500 on errors that the browser caused. */
function httpErrorOf(error: unknown): FrameError | null {
  if (!(error instanceof Error) || !('status' in error) || 'reason' in error) return null
  const { status } = error
  if (typeof status !== 'number' || status < 400 || status >= 500) return null
  return error.constructor === Error || 'expose' in error
    ? new FrameError(status, status === 413 ? 'tooLarge' : 'unreadable')
    : null
}

const GET = ['GET', 'HEAD']

/** Methods of the pages and forms with this path. */
function methodsAt(request: Request): string[] {
  const fits = (path: string) => matches(path, request.path)
  const isPage =
    ['/sign-in', '/language/:language', '/assets/:version/:name'].some(fits) ||
    PAGES.some(({ page }) => fits(page.path))
  const isForm = ['/sign-in', '/sign-out'].some(fits) || ACTIONS.some(({ path }) => fits(path))
  const allowed = [...(isPage ? GET : []), ...(isForm ? ['POST'] : [])]
  return allowed.includes(request.method) ? [] : allowed
}

function matches(pattern: string, path: string): boolean {
  const [expected, given] = [pattern.split('/'), path.split('/')]
  return (
    expected.length === given.length && expected.every((part, index) => part.startsWith(':') || part === given[index])
  )
}
