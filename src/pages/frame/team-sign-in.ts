import type { Request, RequestHandler, Response } from 'express'
import type { TeamSignIn } from '../../oidc/team-sign-in.ts'
import type { Context, PagesOptions } from './context.ts'
import { begunSignInOf, clearBegunSignIn, isSecure, sessionIdOf, setBegunSignIn, setSessionCookie } from './cookies.ts'
import { FrameError } from './error-pages.ts'
import { isFromOtherSite } from './form-guard.ts'
import { queryOf, readForm, redirect } from './http.ts'
import { withQuery } from './path-of.ts'
import type { Person } from './person.ts'
import { returnPath, START } from './return-path.ts'
import type { Sessions } from './sessions.ts'
import { signedInPage, signInPage, TEAM_REFUSALS } from './sign-in-page.ts'

/** A cookie holds no more than 4,096 bytes. */
const LONGEST_NEXT = 2000
const LOGOUT_BYTES = 16 * 1024

const CALLBACK = '/ui/oidc/callback'

/** The way to the provider and back, below /ui/oidc. */
export function teamSignInHandlers(
  { sessionOf, frameOf, send }: Context,
  {
    team,
    identities,
    sessions,
  }: Pick<PagesOptions, 'identities'> & { readonly team: TeamSignIn; readonly sessions: Sessions },
) {
  /** A link and no form: `form-action` of the page permits no redirect to another site. */
  const begin: RequestHandler = async function beginTeamSignIn(request, response) {
    const wanted = returnPath(queryOf(request).get('next'))
    const next = wanted.length > LONGEST_NEXT ? START : wanted
    const toSignIn = (reason: 'unreachable' | 'unusable' | null) =>
      withQuery('/ui/sign-in', { next: next === START ? null : next, reason })
    // Another site must not make a browser sign in: with a provider that asks nothing, the person would not notice.
    if (isFromOtherSite(request)) return redirect(response, toSignIn(null))
    if ((await sessionOf(request)) !== null) return redirect(response, next)
    const begun = await team.begin({ redirectUri: `${originOf(request)}${CALLBACK}`, next })
    if (typeof begun === 'string') return redirect(response, toSignIn(begun))
    setBegunSignIn(request, response, begun.sealed)
    redirect(response, begun.location)
  }

  /** The browser comes from another site, so it sends no session. It gets one, and a page of this gateway that leads on. */
  const callback: RequestHandler = async function takeCallback(request, response) {
    const { originalUrl } = request
    const mark = originalUrl.indexOf('?')
    const completed = await team.complete(mark === -1 ? '' : originalUrl.slice(mark), begunSignInOf(request))
    clearBegunSignIn(request, response)
    const { t } = frameOf(request, null)
    if (completed.kind === 'person') {
      const { person } = completed
      // Of a provider on the same site, the browser brings the session that it had. Another person may know its id.
      const earlier = sessionIdOf(request)
      if (earlier !== null) await sessions.end(earlier)
      const next = returnPath(completed.next)
      setSessionCookie(request, response, await startSession(person, request))
      response.setHeader('refresh', `0; url=${next}`)
      const page = signedInPage(t, { name: person.name ?? person.id, provider: team.provider, next })
      return send(request, response, null, page)
    }
    const [status, text] =
      completed.kind === 'unreachable'
        ? [503, t.of(TEAM_REFUSALS.unreachable(team.provider, ''))]
        : [403, t.of(TEAM_REFUSALS[completed.reason](team.provider, completed.detail ?? ''))]
    const next = returnPath(completed.next)
    const message = { text, isError: true }
    send(request, response, null, signInPage(t, { next, message, status, provider: team.provider }))
  }

  async function startSession(person: Person, { socket }: Request): Promise<string> {
    identities.recognized(socket)
    try {
      return await sessions.start(person, identities.certificateOf(socket))
    } catch (error) {
      person.release?.()
      throw error
    }
  }

  /** OpenID Connect Back-Channel Logout 1.0, section 2.5: the provider calls it, and its token is the authentication. */
  const logout: RequestHandler = async function takeLogout(request, response) {
    const token = await logoutTokenIn(request, response)
    const outcome = token === null ? 'invalid' : await team.logout(token)
    if (outcome === 'done') {
      response.status(200).end()
      return
    }
    const [status, description] = outcome === 'invalid' ? [400, INVALID] : [503, UNREACHABLE]
    response.status(status).json({ error: 'invalid_request', error_description: description })
  }

  return { begin, callback, logout }
}

const INVALID = 'this is no valid logout token of the configured provider: its log line is oidc.logout_refused'
const UNREACHABLE = 'the keys of the provider cannot be fetched now: send the logout token again'

async function logoutTokenIn(request: Request, response: Response): Promise<string | null> {
  const [token, ...others] = (await readForm(request, response, LOGOUT_BYTES)).getAll('logout_token')
  return others.length === 0 ? (token ?? null) : null
}

/** As the browser names this gateway. The provider accepts only the addresses that are registered there. */
function originOf(request: Request): string {
  const url = URL.parse(`${isSecure(request) ? 'https' : 'http'}://${request.headers.host ?? ''}`)
  if (url === null || url.username !== '' || url.pathname !== '/') throw new FrameError(400, 'unreadable')
  return url.origin
}
