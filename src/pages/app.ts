import type { Speaker } from '../messages/speaker.ts'
/** The pages below /ui, for people. Each asks the API's operations with the rights of the person who is signed in. */

import { type Request, type RequestHandler, Router } from 'express'
import { LANGUAGES } from '../messages/languages.ts'
import { createTurns } from '../platform/turns.ts'
import { loadAssets } from './frame/assets.ts'
import { type Context, createContext, type PagesOptions } from './frame/context.ts'
import { setLanguageCookie } from './frame/cookies.ts'
import { type Download, sendFile } from './frame/download.ts'
import { FrameError } from './frame/error-pages.ts'
import { answerErrors } from './frame/errors.ts'
import { isFromOtherSite, isFromOwnPage, isSameToken } from './frame/form-guard.ts'
import { readForm, redirect, setHeaders } from './frame/http.ts'
import { type FormAction, type FormResult, isTab, type Page, type PageView } from './frame/page.ts'
import { passThrough } from './frame/pass-through.ts'
import { problemOf } from './frame/problem.ts'
import { NoSuchPage, OperatorOnly, ScopeMissing } from './frame/refusals.ts'
import { refererPath, returnPath, START } from './frame/return-path.ts'
import { createSessions, type Flash } from './frame/sessions.ts'
import { shareSessions } from './frame/shared-sessions.ts'
import { signInHandlers } from './frame/sign-in.ts'
import { teamSignInHandlers } from './frame/team-sign-in.ts'
import { mayOpen } from './frame/viewer-rights.ts'
import { ACTIONS, DOWNLOADS, PAGES } from './pages.ts'

export interface Pages {
  /** To be mounted at /ui, behind the API's guards and headers. */
  readonly serve: RequestHandler
  /** Takes up sessions that ended on other nodes. */
  refreshSessions(): Promise<void>
  /** Ends sessions of people who have no rights any more, and with them every answer that is still being sent. */
  endRevoked(): void
  /** Ends every session of this process, and with it every answer that is still being sent. */
  close(): void
}

const FORM_BYTES = 64 * 1024
/** Making a page takes many times the memory of the API's answer. */
const TURNS = { places: 4, placesOfKey: 2, waitingOfKey: 100 }

export function createPages(options: PagesOptions): Pages {
  const { api, identities, log, sharedSessions } = options
  const assets = loadAssets()
  const local = createSessions(options)
  const sessions = sharedSessions ? shareSessions({ ...options, local, shared: sharedSessions }) : local
  const context = createContext(options, { assets, sessions, turns: createTurns(TURNS), pages: PAGES })
  const { show, signIn, signOut } = signInHandlers(context, { ...options, sessions })
  const findSession = (request: Request) => context.sessionOf(request, false)

  const router = Router({ caseSensitive: true, strict: true })
  router.use(setHeaders)
  router.get('/assets/:version/:name', assets.serve)
  router.get('/sign-in', show)
  router.post('/sign-in', signIn)
  if (options.team) addTeamSignIn(router, teamSignInHandlers(context, { identities, team: options.team, sessions }))
  router.post('/language', chooseLanguage)
  router.post('/sign-out', signOut)
  router.use('/api', passThrough({ api: api.serve, findSession, isFromOtherSite }))
  router.get('/', (request, response, next) => (isBare(request) ? redirect(response, START) : next()))
  for (const { page } of PAGES) router.get(page.path, showPage(page, context))
  for (const download of DOWNLOADS) router.get(download.path, showDownload(download, context, api))
  for (const action of ACTIONS) router.post(action.path, submitForm(action, context))
  router.use(refuseOthers)
  router.use(answerErrors(context, sessions, log))
  return {
    serve: router,
    refreshSessions: async () => sessions.refresh?.(),
    endRevoked: local.endRevoked,
    close: sessions.close,
  }
}

function addTeamSignIn(router: Router, { begin, callback, logout }: ReturnType<typeof teamSignInHandlers>): void {
  router.get('/oidc/sign-in', begin)
  router.get('/oidc/callback', callback)
  router.post('/oidc/logout', logout)
}

function showPage(page: Page, { sessionOf, requestOf, leadToSignIn, leadOn, make }: Context): RequestHandler {
  return async function show(request, response) {
    if (isFromOtherSite(request)) return leadOn(request, response)
    const session = await sessionOf(request)
    if (session === null) return leadToSignIn(request, response, request.originalUrl)
    const asked = requestOf(request, response, session)
    const { viewer } = asked
    if (page.path === '/' && !mayOpen(viewer, page)) {
      const other = PAGES.find((entry) => isTab(entry) && mayOpen(viewer, entry.page))
      if (other !== undefined) return redirect(response, `/ui${other.page.path}`)
    }
    if (!mayOpen(viewer, page))
      throw page.scopes === 'operator' ? new OperatorOnly() : new ScopeMissing(page.scopes ?? [])
    await make(request, response, session, () => page.render(asked))
  }
}

function showDownload(
  download: Download,
  { sessionOf, requestOf, leadToSignIn, leadOn, inTurn }: Context,
  { accountOf }: PagesOptions['api'],
): RequestHandler {
  return async function show(request, response) {
    if (isFromOtherSite(request)) return leadOn(request, response)
    const session = await sessionOf(request)
    if (session === null) return leadToSignIn(request, response, request.originalUrl)
    const asked = requestOf(request, response, session)
    if (!mayOpen(asked.viewer, download)) throw new ScopeMissing(download.scopes)
    // A place is for making: while the browser reads, others have it.
    const ofPerson = <T>(make: () => Promise<T>) => inTurn(request, session, make)
    const file = await ofPerson(() => download.open(asked))
    if (typeof file === 'string') redirect(response, file)
    else if (file) await sendFile(response, file, { session, account: accountOf(request), inTurn: ofPerson })
  }
}

function submitForm(action: FormAction, { sessionOf, requestOf, leadToSignIn, make }: Context): RequestHandler {
  return async function submit(request, response) {
    if (!isFromOwnPage(request)) throw new FrameError(403, 'foreignForm')
    const session = await sessionOf(request)
    if (session === null) return leadToSignIn(request, response, refererPath(request.headers), 'lost')
    const form = await readForm(request, response, FORM_BYTES)
    if (!isSameToken(form.get('token'), session.formToken)) throw new FrameError(403, 'staleForm')
    const asked = { ...requestOf(request, response, session), form }
    async function submitted(): Promise<PageView | null> {
      const result = await action.submit(asked)
      if (result.kind === 'page') return result.view
      if (session !== null) session.flash = messageIn(result, asked.t, action.path)
      redirect(response, returnPath(result.location))
      return null
    }
    if (action.isLong) await submitted()
    else await make(request, response, session, submitted)
  }
}

function messageIn(result: Exclude<FormResult, { kind: 'page' }>, t: Speaker, form: string): Flash {
  if (result.kind === 'refused') return { ...problemOf(result.answer, t, form), isError: true }
  return { text: result.message, quote: null, isError: result.isError ?? false }
}

const chooseLanguage: RequestHandler = async function chooseLanguage(request, response) {
  if (!isFromOwnPage(request)) throw new FrameError(403, 'foreignForm')
  const form = await readForm(request, response, FORM_BYTES)
  const language = LANGUAGES.find((one) => one === form.get('language'))
  if (language === undefined) throw new NoSuchPage()
  setLanguageCookie(request, response, language)
  redirect(response, returnPath(form.get('next')))
}

/** Without the slash, relative links would lead elsewhere. */
function isBare({ originalUrl }: Request): boolean {
  return /^\/ui(\?|$)/i.test(originalUrl)
}

const refuseOthers: RequestHandler = function refuseOthers(request, response) {
  const allowed = methodsAt(request.path)
  if (allowed.length === 0 || allowed.includes(request.method)) throw new NoSuchPage()
  response.setHeader('allow', allowed.join(', '))
  throw new FrameError(405, 'notAllowed')
}

const SHOWN = [
  '/sign-in',
  '/assets/:version/:name',
  ...[...PAGES.map(({ page }) => page), ...DOWNLOADS].map(({ path }) => path),
]
const SUBMITTED = ['/sign-in', '/sign-out', '/language', ...ACTIONS.map(({ path }) => path)]

/** Methods of the pages and forms with this path. */
function methodsAt(path: string): string[] {
  const fits = (pattern: string) => matches(pattern, path)
  return [...(SHOWN.some(fits) ? ['GET', 'HEAD'] : []), ...(SUBMITTED.some(fits) ? ['POST'] : [])]
}

function matches(pattern: string, path: string): boolean {
  const [expected, given] = [pattern.split('/'), path.split('/')]
  return expected.length === given.length && expected.every((part, at) => part.startsWith(':') || part === given[at])
}
