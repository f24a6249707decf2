import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import type { RefusalReason } from '../../oidc/refused.ts'
import { type Html, html } from '../parts/html.ts'
import type { PageView } from './page.ts'
import { withQuery } from './path-of.ts'

type TeamRefusal = 'unreachable' | 'unusable' | RefusalReason

/** Why the OpenID provider opens no pages to a person. */
export const TEAM_REFUSALS: Readonly<Record<TeamRefusal, (provider: string, detail: string) => Said>> = {
  unreachable: (provider) =>
    say`${{ provider }} cannot be reached now. Try again in a moment, or sign in with the id and secret of a client.`,
  unusable: (provider) =>
    say`The gateway cannot use ${{ provider }} as it is configured. Report it to the operator, and sign in with the id and secret of a client until it is corrected.`,
  begun: (provider) =>
    say`This browser has no open sign-in at ${{ provider }}: it took more than 10 minutes, or it is over. Sign in again.`,
  provider: (provider, detail) =>
    detail === ''
      ? say`${{ provider }} refused the sign-in. Sign in again, or ask its administrator.`
      : say`${{ provider }} refused the sign-in (${{ detail }}). Sign in again, or ask its administrator.`,
  gateway: (provider) =>
    say`${{ provider }} refuses this gateway, and so each person. Report it to the operator, and sign in with the id and secret of a client until it is corrected.`,
  answer: (provider) =>
    say`The answer of ${{ provider }} is not valid, so the sign-in was refused. Sign in again. If it repeats, report it to the operator.`,
  role: (provider, detail) =>
    say`${{ provider }} knows you as ${{ detail }}, but none of your roles there opens these pages. Ask the operator for a role.`,
}

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
  t: Speaker,
  { next, id = '', message, status = 200, provider = null }: SignInForm,
): PageView {
  const form = html`<form method="post" action="/ui/sign-in" class="narrow card">
<input type="hidden" name="next" value="${next}">
<p><label for="id">${t.in('sign-in')`Client id`}</label>
<input id="id" name="id" value="${id}" autocomplete="username" autocapitalize="none" spellcheck="false" aria-describedby="id-hint">
<span class="hint" id="id-hint">${t`Starts with cli_. Leave it empty to sign in as the operator, with the operator token as the secret.`}</span></p>
<p><label for="secret">${t`Secret`}</label>
<input id="secret" name="secret" type="password" autocomplete="current-password" required></p>
<p><button>${t`Sign in`}</button></p>
</form>`
  const body = html`<h1>${t`Sign in`}</h1>
${message && html`<p class="flash ${message.isError ? 'bad' : 'good'}" role="${message.isError ? 'alert' : 'status'}">${message.text}</p>`}
${provider === null ? form : teamSignIn(t, { provider, next, form, isOpen: id !== '' })}
${provider === null && html`<p class="hint">${t`The operator makes an id and a secret for each person.`}</p>`}`
  return { title: t`Sign in`, body, status }
}

interface TeamForm {
  readonly provider: string
  readonly next: string
  /** With the id of a client, which people of the team do not have: it is folded until one was typed. */
  readonly form: Html
  readonly isOpen: boolean
}

function teamSignIn(t: Speaker, { provider, next, form, isOpen }: TeamForm): Html {
  return html`<p class="narrow card"><a class="button" href="${withQuery('/ui/oidc/sign-in', { next })}">${t`Sign in at ${{ provider }}`}</a></p>
<details class="narrow"${isOpen && html` open`}><summary>${t`Or with a client`}</summary>${form}</details>`
}

/** After a sign-in at the provider. The browser goes on by itself. */
export function signedInPage(
  t: Speaker,
  { name, provider, next }: { readonly name: string; readonly provider: string; readonly next: string },
): PageView {
  const body = html`<h1>${t`You are signed in`}</h1>
<p>${t`As ${{ name }}, by ${{ provider }}.`}</p>
<p><a href="${next}">${t`Go on`}</a></p>`
  return { title: t`You are signed in`, body }
}

/** For a person who followed a link outside the pages. */
export function followPage(t: Speaker, path: string): PageView {
  const body = html`<h1>${t`A link led here`}</h1>
<p>${t`It is not a link of this gateway. Go on if you want to open this page:`}</p>
<p><a href="${path}">${t`Go on`}</a></p>
<p class="hint"><code>${path}</code></p>`
  return { title: t`A link led here`, body }
}
