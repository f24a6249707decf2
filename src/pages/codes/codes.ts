import { plural, say, textOf } from '../../messages/say.ts'
import type { Page, PageRequest } from '../frame/page.ts'
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
  async render({ query, language }) {
    const entries = codeEntries(language)
    const code = (query.get('code') ?? '').trim()
    const meanings = entries.get(code)
    const names = [...entries.keys()].filter((name) => meanings === undefined && name.includes(code.toLowerCase()))
    const title = textOf(say`Codes`, language)
    return {
      title: meanings === undefined ? title : code,
      body: html`${meanings !== undefined && html`<p><a href="${PATH}">${title}</a></p>`}
<h1>${meanings === undefined ? title : html`<code>${code}</code>`}</h1>
${meanings === undefined ? listOf(names, { code, language }) : meanings.map((one) => meaningHtml(one, language))}`,
    }
  },
}

function meaningHtml({ text, nextStep }: Meaning, language: PageRequest['language']): Html {
  return html`<section class="card"><p>${prose(text)}</p>
<p><strong>${textOf(say`What to do`, language)}:</strong> ${prose(nextStep)}</p></section>
`
}

function listOf(
  names: readonly string[],
  { code, language }: { code: string; language: PageRequest['language'] },
): Html {
  const field = textField('code', textOf(say`Code, or a part of it`, language), { value: code })
  const none = say`No code has this in its name. A code of the service, such as the status of a payment, is in the documentation of the service.`
  const count = plural(names.length, say`1 code`, say`{count} codes`)
  return html`<p class="hint">${textOf(say`Findings, reasons of alarms, refusals, log events and problems of the API: what each means, and what to do.`, language)}</p>
${filterForm(PATH, [field], textOf(say`Show`, language))}
${
  names.length === 0
    ? empty(textOf(none, language))
    : html`<p class="hint">${textOf(count, language)}</p>
<p class="codes">${names.map((name) => html`${codeLink(name)} `)}</p>`
}`
}
