import type { Catalogue } from '../../messages/catalogue.ts'
import { type Html, html } from '../parts/html.ts'
import type { PageView } from './page.ts'
import { withQuery } from './path-of.ts'

export interface SignInForm {
  /** Where a successful sign-in leads. */
  readonly next: string
  readonly id?: string
  /** Above the form; null: nothing. */
  readonly message: { readonly text: string; readonly isError: boolean } | null
  readonly status?: number
  /** Host of the OpenID provider where people sign in, too; null: there is none. */
  readonly provider?: string | null
}

export function signInPage(
  words: Catalogue,
  { next, id = '', message, status = 200, provider = null }: SignInForm,
): PageView {
  const { frame, common } = words
  const form = html`<form method="post" action="/ui/sign-in" class="narrow card">
<input type="hidden" name="next" value="${next}">
<p><label for="id">${frame.clientId}</label>
<input id="id" name="id" value="${id}" autocomplete="username" autocapitalize="none" spellcheck="false" aria-describedby="id-hint">
<span class="hint" id="id-hint">${frame.clientIdHint}</span></p>
<p><label for="secret">${frame.secret}</label>
<input id="secret" name="secret" type="password" autocomplete="current-password" required></p>
<p><button>${common.signIn}</button></p>
</form>`
  const body = html`<h1>${common.signIn}</h1>
${message && html`<p class="flash ${message.isError ? 'bad' : 'good'}" role="${message.isError ? 'alert' : 'status'}">${message.text}</p>`}
${provider === null ? form : teamSignIn(words, { provider, next, form, isOpen: id !== '' })}
${provider === null && html`<p class="hint">${frame.signInHint}</p>`}`
  return { title: common.signIn, body, status }
}

interface TeamForm {
  readonly provider: string
  readonly next: string
  /** With the id of a client, which people of the team do not have: it is folded until one was typed. */
  readonly form: Html
  readonly isOpen: boolean
}

function teamSignIn({ frame }: Catalogue, { provider, next, form, isOpen }: TeamForm): Html {
  return html`<p class="narrow card"><a class="button" href="${withQuery('/ui/oidc/sign-in', { next })}">${frame.oidc.signIn(provider)}</a></p>
<details class="narrow"${isOpen && html` open`}><summary>${frame.oidc.otherwise}</summary>${form}</details>`
}

/** After a sign-in at the provider. The browser goes on by itself. */
export function signedInPage(
  { frame }: Catalogue,
  { name, provider, next }: { readonly name: string; readonly provider: string; readonly next: string },
): PageView {
  const body = html`<h1>${frame.oidc.signedIn}</h1>
<p>${frame.oidc.signedInAs(name, provider)}</p>
<p><a href="${next}">${frame.goOn}</a></p>`
  return { title: frame.oidc.signedIn, body }
}

/** For a person who followed a link outside the pages. */
export function followPage({ frame }: Catalogue, path: string): PageView {
  const body = html`<h1>${frame.fromElsewhere}</h1>
<p>${frame.fromElsewhereText}</p>
<p><a href="${path}">${frame.goOn}</a></p>
<p class="hint"><code>${path}</code></p>`
  return { title: frame.fromElsewhere, body }
}
