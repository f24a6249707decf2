import type { Request, Response } from 'express'
import { LANGUAGES, type Language } from '../../messages/languages.ts'

const SESSION = 'portaria_session'
/** Of a sign-in at an OpenID provider that the browser began. */
const BEGUN = 'portaria_begun'
const BEGUN_MS = 600_000
const LANGUAGE = 'portaria_language'
const LANGUAGE_MS = 365 * 86_400_000

/** null: none, or several, of which a program on another port or subdomain may have set one. */
export function sessionIdOf(request: Request): string | null {
  const [id, ...others] = cookiesOf(request, SESSION)
  return id !== undefined && others.length === 0 && /^[A-Za-z0-9_-]{43}$/.test(id) ? id : null
}

/** Whether the browser sent a session, valid or not. */
export function hasSessionCookie(request: Request): boolean {
  return cookiesOf(request, SESSION).length > 0
}

/** Without an end: the browser forgets it when it is closed. */
export function setSessionCookie(request: Request, response: Response, id: string): void {
  response.cookie(SESSION, id, { ...attributesOf(request), sameSite: 'strict' })
}

export function clearSessionCookie(request: Request, response: Response): void {
  response.clearCookie(SESSION, { ...attributesOf(request), sameSite: 'strict' })
}

/** null: none, or several. */
export function begunSignInOf(request: Request): string | null {
  const [sealed, ...others] = cookiesOf(request, BEGUN)
  return sealed !== undefined && others.length === 0 ? sealed : null
}

/** Lax: the provider leads back here from another site. */
export function setBegunSignIn(request: Request, response: Response, sealed: string): void {
  response.cookie(BEGUN, sealed, { ...attributesOf(request), path: '/ui/oidc', sameSite: 'lax', maxAge: BEGUN_MS })
}

export function clearBegunSignIn(request: Request, response: Response): void {
  response.clearCookie(BEGUN, { ...attributesOf(request), path: '/ui/oidc', sameSite: 'lax' })
}

/** What the person chose; null: nothing. */
export function chosenLanguage(request: Request): Language | null {
  const [chosen] = cookiesOf(request, LANGUAGE)
  return LANGUAGES.find((language) => language === chosen) ?? null
}

export function setLanguageCookie(request: Request, response: Response, language: Language): void {
  response.cookie(LANGUAGE, language, { ...attributesOf(request), sameSite: 'lax', maxAge: LANGUAGE_MS })
}

function attributesOf(request: Request) {
  return { path: '/ui', httpOnly: true, secure: isSecure(request) }
}

/** A proxy's word is enough here: a wrong one only keeps the cookie from being sent. */
export function isSecure(request: Request): boolean {
  return 'encrypted' in request.socket || /^https$/i.test(firstOf(request.headers['x-forwarded-proto']))
}

/** Each proxy adds its value at the end: the first one is that of the browser's connection. */
function firstOf(header: string | string[] | undefined): string {
  return String(header ?? '')
    .split(',', 1)
    .join()
    .trim()
}

/** RFC 6265 section 5.4: the values of all cookies with this name. */
function cookiesOf(request: Request, name: string): string[] {
  const pairs = (request.headers.cookie ?? '').split(';')
  return pairs
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
}
