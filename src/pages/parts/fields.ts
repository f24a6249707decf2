import { printable } from '../../platform/control-characters.ts'
import { iso, parseTime } from '../../platform/time.ts'
import { Html, html } from './html.ts'
import { icon } from './icon.ts'

/** A value of a select, and its text. */
export type Option = readonly [value: string, text: string]

/** What a field of every kind may have. */
export interface FieldNotes {
  readonly hint?: string | Html
  /** Why the API refused what is in the field; null, left out: it did not. */
  readonly problem?: string | null
}

/** A labelled field of a form. */
export class Field extends Html {
  /** What was chosen in it, with its label; null: nothing, or what is chosen by itself. */
  readonly chosen: Html | null

  constructor(content: Html, label: string, chosen: string | Html) {
    super(content.toString())
    this.chosen = chosen === '' ? null : html`${label}: ${typeof chosen === 'string' ? printable(chosen) : chosen}`
  }
}

interface Select extends FieldNotes {
  readonly options: readonly Option[]
  readonly chosen: string
  /** An option without a value is no choice. */
  readonly isRequired?: boolean
}

/** A labelled select. Its name is also its id, so a page has it once. */
export function select(name: string, label: string, { options, chosen, isRequired, ...notes }: Select): Field {
  const content = html`<p><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${fieldAttributes(name, notes)}${isRequired && html` required`}>${options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select>${fieldNotes(name, notes)}</p>`
  const text = chosen === '' ? '' : options.find(([value]) => value === chosen)?.[1]
  return new Field(content, label, text ?? chosen)
}

/** A labelled field for text with known values to choose from. Its name is also its id. */
export function listField(
  name: string,
  label: string,
  { value, options }: { readonly value: string; readonly options: readonly Option[] },
): Html {
  const list = options.length > 0 && html` list="${name}-list"`
  return html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" maxlength="100" autocomplete="off"${list}>${
    options.length > 0 &&
    html`<datalist id="${name}-list">${options.map(([one, text]) => html`<option value="${one}">${text}</option>`)}</datalist>`
  }</p>`
}

export interface TextField extends FieldNotes {
  readonly value?: string | null
  readonly isRequired?: boolean
  readonly isWide?: boolean
  /** In characters; default 500. */
  readonly longest?: number
}

/** A labelled field for text, as `select`. */
export function textField(name: string, label: string, field: TextField = {}): Field {
  const { value, isRequired, isWide, longest = 500 } = field
  const content = html`<p${isWide && html` class="grow"`}><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" maxlength="${longest}"${fieldAttributes(name, field)}${isRequired && html` required`}>
${fieldNotes(name, field)}</p>`
  return new Field(content, label, value ?? '')
}

/** A labelled control for a day in UTC, as `select`. A link may name a time: the day of that. */
export function dayField(name: string, label: string, value: string): Field {
  const time = parseTime(value)
  const day = time === null ? value : iso(time).slice(0, 'YYYY-MM-DD'.length)
  return new Field(
    html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="date" value="${day}"></p>`,
    label,
    day,
  )
}

/** A labelled field for several lines, as `select`. */
export function textArea(name: string, label: string, field: Omit<TextField, 'isWide'> & { rows?: number } = {}): Html {
  const { value, isRequired, rows = 3 } = field
  return html`<p><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false"${fieldAttributes(name, field)}${isRequired && html` required`}>
${value}</textarea>${fieldNotes(name, field)}</p>`
}

/** Boxes of one name, of which any number may be ticked. */
export function checkboxes(
  name: string,
  legend: string,
  {
    options,
    chosen,
    ...notes
  }: FieldNotes & { readonly options: readonly Option[]; readonly chosen: readonly string[] },
): Html {
  return html`<fieldset${fieldAttributes(name, notes)}><legend>${legend}</legend>${fieldNotes(name, notes)}
${options.map(
  ([value, text]) =>
    html`<p><label><input type="checkbox" name="${name}" value="${value}"${chosen.includes(value) && html` checked`}> ${text}</label></p>\n`,
)}</fieldset>`
}

export function fieldAttributes(name: string, { hint, problem }: FieldNotes): Html {
  const notes = [problem && `${name}-problem`, hint && `${name}-hint`].filter(Boolean).join(' ')
  return html`${notes !== '' && html` aria-describedby="${notes}"`}${problem && html` aria-invalid="true"`}`
}

export function fieldNotes(name: string, { hint, problem }: FieldNotes): Html {
  return html`${problem && html`<span class="problem" id="${name}-problem">${problem}</span>`}${
    hint && html`<span class="hint" id="${name}-hint">${hint}</span>`
  }`
}

/** A form that only chooses what the page shows. Several fields take one line, with what is chosen, until they are opened. @param path with /ui */
export function filterForm(path: string, fields: readonly (Field | null)[], button: string): Html {
  const given = fields.filter((field) => field !== null)
  const submit = html`<p><button class="secondary">${button}</button></p>`
  if (given.length === 1)
    return html`<form method="get" action="${path}" class="fields filter">${given}\n${submit}</form>`
  const chosen = given.map(({ chosen }) => chosen !== null && html`<span class="chip">${chosen}</span> `)
  return html`<form method="get" action="${path}" class="filter"><details class="card">
<summary>${icon('filter')}${button} ${chosen}</summary>
<div class="fields">${given}\n${submit}</div>
</details></form>`
}
