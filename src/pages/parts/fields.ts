import { type Html, html } from './html.ts'

/** A value of a select, and its text. */
export type Option = readonly [value: string, text: string]

/** A labelled select. Its name is also its id, so a page has it once. */
export function select(
  name: string,
  label: string,
  { options, chosen }: { readonly options: readonly Option[]; readonly chosen: string },
): Html {
  return html`<p><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></p>`
}

export interface TextField {
  readonly value?: string | null
  readonly hint?: string
  readonly isRequired?: boolean
  readonly isWide?: boolean
}

/** A labelled field for text, as `select`. */
export function textField(name: string, label: string, field: TextField = {}): Html {
  const { value, hint, isRequired, isWide } = field
  return html`<p${isWide && html` class="grow"`}><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" maxlength="500"${hint && html` aria-describedby="${name}-hint"`}${isRequired && html` required`}>
${hint && html`<span class="hint" id="${name}-hint">${hint}</span>`}</p>`
}

/** A form that only chooses what the page shows. @param path with /ui */
export function filterForm(path: string, fields: readonly (Html | null)[], button: string): Html {
  return html`<form method="get" action="${path}" class="fields card">${fields}
<p><button>${button}</button></p>
</form>`
}
