import type { Request, RequestHandler } from 'express'
import { type Said, say } from '../../messages/say.ts'
import type { Context, PagesOptions } from './context.ts'
import { clearSessionCookie, sessionIdOf, setSessionCookie } from './cookies.ts'
import { FrameError } from './error-pages.ts'
import { isFromOwnPage, isSameToken } from './form-guard.ts'
import { queryOf, readForm, redirect } from './http.ts'
import { returnPath } from './return-path.ts'
import type { Sessions } from './sessions.ts'
import { type SignInForm, signInPage, TEAM_REFUSALS } from './sign-in-page.ts'

/** Why a person is to sign in. */
const REASONS: Readonly<Record<string, Said>> = {
  ended: say`Your session has ended. Sign in again to continue where you were.`,
  lost: say`Your session has ended. The form was not sent, and nothing was changed. Sign in, and send it again.`,
  out: say`You are signed out.`,
}

const SIGN_IN_BYTES = 8 * 1024
const LONGEST_ID = 100

/** The sign-in and its end. */
export function signInHandlers(
  { sessionOf, frameOf, send }: Context,
  { identities, team, sessions }: Pick<PagesOptions, 'identities' | 'team'> & { readonly sessions: Sessions },
) {
  const speakerFor = (request: Request) => frameOf(request, null).t

  const provider = team?.provider ?? null

  function messageFor(request: Request): SignInForm['message'] {
    const reason = queryOf(request).get('reason') ?? ''
    const t = speakerFor(request)
    if ((reason === 'unreachable' || reason === 'unusable') && provider !== null)
      return { text: t.of(TEAM_REFUSALS[reason](provider, '')), isError: true }
    const text = t.at(REASONS, reason)
    return text === null ? null : { text, isError: reason === 'lost' }
  }

  const show: RequestHandler = async function showSignIn(request, response) {
    const next = returnPath(queryOf(request).get('next'))
    if ((await sessionOf(request)) !== null) return redirect(response, next)
    send(request, response, null, signInPage(speakerFor(request), { next, message: messageFor(request), provider }))
  }

  const signIn: RequestHandler = async function signIn(request, response) {
    if (!isFromOwnPage(request)) throw new FrameError(403, 'foreignForm')
    const form = await readForm(request, response, SIGN_IN_BYTES)
    const id = (form.get('id') ?? '').trim()
    const next = returnPath(form.get('next'))
    const signed = await identities.signIn({ id, secret: (form.get('secret') ?? '').trim() }, request.socket)
    if (signed.kind === 'person') {
      // Never the session that the browser brought: another person may know its id.
      const earlier = sessionIdOf(request)
      if (earlier !== null) await sessions.end(earlier)
      const certificate = identities.certificateOf(request.socket)
      setSessionCookie(request, response, await sessions.start(signed.person, certificate))
      return redirect(response, next)
    }
    if (signed.kind === 'wait') response.setHeader('retry-after', String(signed.seconds))
    const t = speakerFor(request)
    const refusal: Omit<SignInForm, 'next' | 'id'> =
      signed.kind === 'wait'
        ? {
            status: 429,
            message: {
              text: t`Too many failures. Wait ${{ seconds: signed.seconds }} s, then try again.`,
              isError: true,
            },
          }
        : {
            status: 403,
            message: {
              text: t`There is no client with this id and secret. Check both, and try again.`,
              isError: true,
            },
          }
    send(request, response, null, signInPage(t, { next, id: id.slice(0, LONGEST_ID), provider, ...refusal }))
  }

  const signOut: RequestHandler = async function signOut(request, response) {
    if (!isFromOwnPage(request)) throw new FrameError(403, 'foreignForm')
    const id = sessionIdOf(request)
    const session = await sessionOf(request)
    if (session !== null && id !== null) {
      const form = await readForm(request, response, SIGN_IN_BYTES)
      if (!isSameToken(form.get('token'), session.formToken)) throw new FrameError(403, 'staleForm')
      await sessions.end(id)
    }
    clearSessionCookie(request, response)
    redirect(response, '/ui/sign-in?reason=out')
  }

  return { show, signIn, signOut }
}
