import type { Speaker } from '../../messages/speaker.ts'
import { type Html, type HtmlValue, html } from './html.ts'

export interface ButtonForm {
  /** Path of a `FormAction`, with /ui. */
  readonly action: string
  readonly text: string
  readonly formToken: Html
  readonly t: Speaker
  /** Hidden fields by name. */
  readonly hidden?: Readonly<Record<string, string>>
  /** Fields that the person fills in. */
  readonly fields?: HtmlValue
  /** Asks for a reason, which the log of actions keeps; `optional`: it may stay empty. */
  readonly reason?: 'required' | 'optional'
  readonly isDangerous?: boolean
  /** Its fields are below one another. */
  readonly isNarrow?: boolean
}

let forms = 0

/** A form with one button, for something that changes the gateway. */
export function buttonForm(form: ButtonForm): Html {
  const { action, text, formToken, t, hidden = {}, fields, reason, isDangerous, isNarrow } = form
  forms = (forms + 1) % 1_000_000
  const id = `reason-${forms}`
  return html`<form method="post" action="${action}" class="${isNarrow ? 'narrow' : 'fields'}">${formToken}
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields}
${
  reason &&
  html`<p class="grow"><label for="${id}">${reason === 'required' ? t`Reason` : t`Reason (optional)`}</label>
<input id="${id}" name="reason" maxlength="200"${reason === 'required' && html` required`}></p>`
}
<p><button${isDangerous && html` class="danger"`}>${text}</button></p>
</form>`
}
