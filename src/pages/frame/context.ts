import type { Request, Response } from 'express'
import type { Api } from '../../api/app.ts'
import type { PageSessionStore } from '../../domain/nodes/page-session.ts'
import type { ScopeNames } from '../../domain/scopes.ts'
import { speaker } from '../../messages/speaker.ts'
import type { TeamSignIn } from '../../oidc/team-sign-in.ts'
import type { Log } from '../../platform/log.ts'
import type { Turns } from '../../platform/turns.ts'
import { type Html, html } from '../parts/html.ts'
import { createAsk } from './ask.ts'
import type { Assets } from './assets.ts'
import { chosenLanguage, hasSessionCookie, sessionIdOf } from './cookies.ts'
import { queryOf, redirect, requestIdOf } from './http.ts'
import { languageFor } from './language.ts'
import { type Frame, layout } from './layout.ts'
import type { PageEntry, PageRequest, PageView, Viewer } from './page.ts'
import { withQuery } from './path-of.ts'
import type { Identities } from './person.ts'
import { returnPath, START } from './return-path.ts'
import type { Session, Sessions } from './sessions.ts'
import { followPage } from './sign-in-page.ts'

export interface PagesOptions {
  /** For what comes from pages. */
  readonly api: Api
  readonly identities: Identities
  /** The sign-in at an OpenID provider; left out, or null: there is none. */
  readonly team?: TeamSignIn | null
  /** The configured kinds of callbacks. */
  readonly kinds: readonly string[]
  /** Names of the configured institutions. */
  readonly institutions: readonly string[]
  readonly scopeNames: ScopeNames
  readonly idleEndMs: number
  /** Sessions that other nodes know, too; left out: those of this process. */
  readonly sharedSessions?: PageSessionStore | undefined
  readonly now: () => number
  readonly log: Log
}

/** What every handler of the pages needs. */
export type Context = ReturnType<typeof createContext>

export function createContext(
  { api, identities, kinds, institutions, scopeNames }: PagesOptions,
  {
    assets,
    sessions,
    turns,
    pages,
  }: {
    readonly assets: Assets
    readonly sessions: Sessions
    readonly turns: Turns
    readonly pages: readonly PageEntry[]
  },
) {
  /** @param isUse the person did something, which postpones the idle end */
  async function sessionOf(request: Request, isUse = true): Promise<Session | null> {
    const id = sessionIdOf(request)
    const session = id === null ? null : await sessions.find(id, identities.certificateOf(request.socket), isUse)
    if (session === null || id === null) return null
    if ((await session.person.confirm?.()) === false) {
      await sessions.end(id)
      return null
    }
    identities.recognized(request.socket)
    return session
  }

  function frameOf(request: Request, session: Session | null): Frame {
    const language = chosenLanguage(request) ?? languageFor(request.headers['accept-language'])
    return {
      assets,
      language,
      t: speaker(language),
      pages,
      here: request.method === 'GET' ? request.originalUrl : START,
      path: request.path,
      viewer: session && viewerOf(session),
      formToken: session && formTokenOf(session),
      flash: session?.flash ?? null,
    }
  }

  /** With the message of the last form, which a person reads once. */
  function send(request: Request, response: Response, session: Session | null, view: PageView): void {
    const text = layout(frameOf(request, session), view)
    if (session !== null && request.method === 'GET') session.flash = null
    response
      .status(view.status ?? 200)
      .type('html')
      .send(text)
  }

  /** Few pages, or parts of files, are made at a time. undefined: the browser has gone meanwhile */
  async function inTurn<T>(request: Request, session: Session, act: () => Promise<T>): Promise<T | undefined> {
    const leave = await turns.take(session.person.id)
    try {
      return request.socket.destroyed ? undefined : await act()
    } finally {
      leave()
    }
  }

  /** @param view null: the request is answered already */
  async function make(
    request: Request,
    response: Response,
    session: Session,
    view: () => Promise<PageView | null>,
  ): Promise<void> {
    const made = await inTurn(request, session, view)
    if (made) send(request, response, session, made)
  }

  function requestOf(request: Request, response: Response, session: Session): PageRequest {
    const { t, language } = frameOf(request, session)
    return {
      t,
      language,
      kinds,
      institutions,
      scopeNames,
      viewer: viewerOf(session),
      formToken: formTokenOf(session),
      params: request.params as Record<string, string>,
      query: queryOf(request),
      ask: createAsk(api.calls, session.person, requestIdOf(response)),
    }
  }

  /** To the sign-in, and from there to `next`. @param why `lost`: a form was not sent */
  function leadToSignIn(request: Request, response: Response, next: string, why?: 'lost'): void {
    const reason = why ?? (hasSessionCookie(request) ? 'ended' : undefined)
    redirect(response, withQuery('/ui/sign-in', { next: next === START ? null : returnPath(next), reason }))
  }

  /** A link outside the pages opens nothing by itself: the person clicks on one of this gateway, with which the browser sends the cookie. */
  function leadOn(request: Request, response: Response): void {
    send(request, response, null, followPage(frameOf(request, null).t, returnPath(request.originalUrl)))
  }

  return { sessionOf, frameOf, send, inTurn, make, requestOf, leadToSignIn, leadOn }
}

function viewerOf({ person }: Session): Viewer {
  const { id, name, environment } = person
  return {
    id,
    name,
    environment,
    can(scope) {
      const principal = person.principal()
      return principal?.kind === 'operator' || principal?.scopes.has(scope) === true
    },
  }
}

function formTokenOf({ formToken }: Session): Html {
  return html`<input type="hidden" name="token" value="${formToken}">`
}
