import { type ButtonForm, buttonForm } from './button-form.ts'
import { type Html, html } from './html.ts'

/** A form that opens before it can be sent, also without JavaScript: for what needs a second thought. @param hint what it will do */
export function confirmed(form: ButtonForm, hint?: string): Html {
  return html`<details class="card${form.isDangerous && ' danger'}"><summary>${form.text}</summary>
${hint && html`<p>${hint}</p>`}
${buttonForm(form)}
</details>`
}
