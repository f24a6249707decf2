import type { Request, Response } from 'express'
import { LANGUAGES, type Language } from '../../messages/languages.ts'

const SESSION = 'portaria_session'
const LANGUAGE = 'portaria_language'
const LANGUAGE_SECONDS = 365 * 86_400

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
  response.append('set-cookie', `${SESSION}=${id}; ${attributesOf(request, 'Strict')}`)
}

export function clearSessionCookie(request: Request, response: Response): void {
  response.append('set-cookie', `${SESSION}=; Max-Age=0; ${attributesOf(request, 'Strict')}`)
}

/** What the person chose; null: nothing. */
export function chosenLanguage(request: Request): Language | null {
  const [chosen] = cookiesOf(request, LANGUAGE)
  return LANGUAGES.find((language) => language === chosen) ?? null
}

export function setLanguageCookie(request: Request, response: Response, language: Language): void {
  const attributes = `Max-Age=${LANGUAGE_SECONDS}; ${attributesOf(request, 'Lax')}`
  response.append('set-cookie', `${LANGUAGE}=${language}; ${attributes}`)
}

function attributesOf(request: Request, sameSite: 'Strict' | 'Lax'): string {
  return `Path=/ui; HttpOnly; SameSite=${sameSite}${isSecure(request) ? '; Secure' : ''}`
}

/** A proxy's word is enough here: a wrong one only keeps the cookie from being sent. */
function isSecure(request: Request): boolean {
  return 'encrypted' in request.socket || request.headers['x-forwarded-proto'] === 'https'
}

/** RFC 6265 section 5.4: the values of all cookies with this name. */
function cookiesOf(request: Request, name: string): string[] {
  const pairs = (request.headers.cookie ?? '').split(';')
  return pairs
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
}
