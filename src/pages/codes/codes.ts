import { plural, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import type { Page } from '../frame/page.ts'
import { codeLink } from '../parts/code-link.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { prose } from '../parts/prose.ts'
import { codeEntries, type Meaning } from './entries.ts'

const PATH = '/ui/codes'

/** What each code means, and what to do. Other pages lead to the entry of a code. */
export const CODES: Page = {
  path: '/codes',
  scopes: null,
  async render({ query, t }) {
    const entries = codeEntries(t.language)
    const code = (query.get('code') ?? '').trim()
    const meanings = entries.get(code)
    const names = [...entries.keys()].filter((name) => meanings === undefined && name.includes(code.toLowerCase()))
    const title = t`Codes`
    return {
      title: meanings === undefined ? title : code,
      body: html`${meanings !== undefined && html`<p><a href="${PATH}">${title}</a></p>`}
<h1>${meanings === undefined ? title : html`<code>${code}</code>`}</h1>
${meanings === undefined ? listOf(names, code, t) : meanings.map((one) => meaningHtml(one, t))}`,
    }
  },
}

function meaningHtml({ text, nextStep }: Meaning, t: Speaker): Html {
  return html`<section class="card"><p>${prose(text)}</p>
<p><strong>${t`What to do`}:</strong> ${prose(nextStep)}</p></section>
`
}

function listOf(names: readonly string[], code: string, t: Speaker): Html {
  const field = textField('code', t`Code, or a part of it`, { value: code })
  const none = say`No code has this in its name. A code of the service, such as the status of a payment, is in the documentation of the service.`
  const count = plural(names.length, say`1 code`, say`{count} codes`)
  return html`<p class="hint">${t`Findings, reasons of alarms, refusals, log events and problems of the API: what each means, and what to do.`}</p>
${filterForm(PATH, [field], t`Show`)}
${
  names.length === 0
    ? empty(t.of(none))
    : html`<p class="hint">${t.of(count)}</p>
<p class="codes">${names.map((name) => html`${codeLink(name)} `)}</p>`
}`
}
