import type { Account } from '../applications.ts'
import { type Html, html } from '../http/html.ts'
import type { Page, PageAnswer } from '../http/pages.ts'
import type { Site } from '../site.ts'
import { type AnswerOutcome, accept, DECISIONS, refuse } from './end-client-answer.ts'
import { accountsOfHolder, type Opening, openingsOf, tierOf } from './openings.ts'

/** The page behind the link that an end client receives. */
export function openingPages(site: Site): Page[] {
  const byLink = (link: string | undefined) => openingsOf(site).find((opening) => opening.link === link)
  return [
    {
      path: '/openings/:link',
      show({ params }) {
        const opening = byLink(params.link)
        return opening === undefined ? unknownLink() : pageFor(site, opening)
      },
      submit({ params, form }) {
        const opening = byLink(params.link)
        if (opening === undefined) return unknownLink()
        const outcome = answer(site, opening, form)
        return outcome.ok ? pageFor(site, byLink(params.link) ?? opening) : refused(outcome)
      },
    },
  ]
}

function answer(site: Site, opening: Opening, form: URLSearchParams): AnswerOutcome {
  if (form.get('answer') === 'refuse') return refuse(site, opening)
  if (form.get('answer') !== 'accept') return { ok: false, status: 400, reason: 'accept or refuse' }
  const as = DECISIONS.find((one) => one === form.get('as'))
  if (as === undefined && form.has('as')) return { ok: false, status: 400, reason: 'choose one of the offers' }
  // The browser sends the account with every choice.
  const account = as === 'application' ? (form.get('account') ?? undefined) : undefined
  return accept(site, opening, { as, account })
}

function unknownLink(): PageAnswer {
  return { status: 404, title: 'Unknown link', content: html`<p>No account opening has this link.</p>` }
}

function refused({ status, reason }: Extract<AnswerOutcome, { ok: false }>): PageAnswer {
  return { status, title: 'This is not possible', content: html`<p>Not done: ${reason}.</p>` }
}

const TITLES: Readonly<Record<Opening['state'], string>> = {
  requested: 'Open an account',
  refused: 'You refused',
  processing: 'You accepted: your account is being opened',
  open: 'Your account is open',
}

function pageFor(site: Site, opening: Opening): PageAnswer {
  const content = html`${summaryOf(site, opening)}
${opening.state === 'requested' ? formOf(site, opening) : null}`
  return { status: 200, title: TITLES[opening.state], content }
}

function summaryOf(site: Site, opening: Opening): Html {
  const { endClient, integrator, scopes } = opening
  const asking = site.applications.accounts().find(({ number }) => number === integrator)
  return html`<p>${asking?.name ?? null} asks for an account of ${endClient.nomeCompleto}, CPF ${endClient.cpf}.</p>
${endClient.cnpj === undefined ? null : html`<p>Company: ${endClient.razaoSocial ?? null}, CNPJ ${endClient.cnpj}</p>`}
<p>Tier: ${tierOf(opening)}</p>
<p>With this access:</p>
<ul>${scopes.map((scope) => html`<li>${scope}</li>`)}</ul>`
}

function formOf(site: Site, opening: Opening): Html {
  const accounts = accountsOfHolder(site, opening)
  return html`<form method="post">
${accounts.length === 0 ? null : choicesOf(accounts)}
<p><button name="answer" value="accept">Accept</button> <button name="answer" value="refuse">Refuse</button></p>
</form>`
}

function choicesOf(accounts: readonly Account[]): Html {
  return html`<fieldset><legend>You have an account already</legend>
<p><label><input type="radio" name="as" value="secondary_account" checked> A secondary account with the access above</label></p>
<p><label><input type="radio" name="as" value="application"> An application with the access above in my account</label>
<select name="account">${accounts.map(
    ({ number, digit, name }) => html`<option value="${number}">${number}-${digit} ${name}</option>`,
  )}</select></p>
</fieldset>`
}
