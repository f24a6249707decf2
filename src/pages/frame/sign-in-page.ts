import type { Catalogue } from '../../messages/catalogue.ts'
import { html } from '../parts/html.ts'
import type { PageView } from './page.ts'

export interface SignInForm {
  /** Where a successful sign-in leads. */
  readonly next: string
  readonly id?: string
  /** Above the form; null: nothing. */
  readonly message: { readonly text: string; readonly isError: boolean } | null
  readonly status?: number
}

export function signInPage(words: Catalogue, { next, id = '', message, status = 200 }: SignInForm): PageView {
  const { frame, common } = words
  const body = html`<h1>${common.signIn}</h1>
${message && html`<p class="flash ${message.isError ? 'bad' : 'good'}" role="${message.isError ? 'alert' : 'status'}">${message.text}</p>`}
<form method="post" action="/ui/sign-in" class="narrow card">
<input type="hidden" name="next" value="${next}">
<p><label for="id">${frame.clientId}</label>
<input id="id" name="id" value="${id}" autocomplete="username" autocapitalize="none" spellcheck="false" aria-describedby="id-hint">
<span class="hint" id="id-hint">${frame.clientIdHint}</span></p>
<p><label for="secret">${frame.secret}</label>
<input id="secret" name="secret" type="password" autocomplete="current-password" required></p>
<p><button>${common.signIn}</button></p>
</form>
<p class="hint">${frame.signInHint}</p>`
  return { title: common.signIn, body, status }
}

/** For a person who followed a link outside the pages. */
export function followPage({ frame }: Catalogue, path: string): PageView {
  const body = html`<h1>${frame.fromElsewhere}</h1>
<p>${frame.fromElsewhereText}</p>
<p><a href="${path}">${frame.goOn}</a></p>
<p class="hint"><code>${path}</code></p>`
  return { title: frame.fromElsewhere, body }
}
