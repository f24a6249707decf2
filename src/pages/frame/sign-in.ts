import type { Request, RequestHandler } from 'express'
import type { Context, PagesOptions } from './context.ts'
import { clearSessionCookie, sessionIdOf, setSessionCookie } from './cookies.ts'
import { FrameError } from './error-pages.ts'
import { isFromOwnPage, isSameToken } from './form-guard.ts'
import { queryOf, readForm, redirect } from './http.ts'
import { returnPath } from './return-path.ts'
import type { Sessions } from './sessions.ts'
import { type SignInForm, signInPage } from './sign-in-page.ts'

const SIGN_IN_BYTES = 8 * 1024
const LONGEST_ID = 100

/** The sign-in and its end. */
export function signInHandlers(
  { sessionOf, frameOf, send }: Context,
  { identities, team, sessions }: Pick<PagesOptions, 'identities' | 'team'> & { readonly sessions: Sessions },
) {
  const wordsOf = (request: Request) => frameOf(request, null).words

  const provider = team?.provider ?? null

  function messageFor(request: Request): SignInForm['message'] {
    const { oidc, reasons } = wordsOf(request).frame
    const reason = queryOf(request).get('reason') ?? ''
    if ((reason === 'unreachable' || reason === 'unusable') && provider !== null)
      return { text: oidc[reason](provider), isError: true }
    if (!Object.hasOwn(reasons, reason)) return null
    return { text: reasons[reason as keyof typeof reasons], isError: reason === 'lost' }
  }

  const show: RequestHandler = async function showSignIn(request, response) {
    const next = returnPath(queryOf(request).get('next'))
    if ((await sessionOf(request)) !== null) return redirect(response, next)
    send(request, response, null, signInPage(wordsOf(request), { next, message: messageFor(request), provider }))
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
    const { frame } = wordsOf(request)
    if (signed.kind === 'wait') response.setHeader('retry-after', String(signed.seconds))
    const refusal: Omit<SignInForm, 'next' | 'id'> =
      signed.kind === 'wait'
        ? { status: 429, message: { text: frame.waitToSignIn(signed.seconds), isError: true } }
        : { status: 403, message: { text: frame.wrongSecret, isError: true } }
    send(
      request,
      response,
      null,
      signInPage(wordsOf(request), { next, id: id.slice(0, LONGEST_ID), provider, ...refusal }),
    )
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
