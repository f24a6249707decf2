import type { Catalogue } from '../../messages/catalogue.ts'
import { type Html, html } from '../parts/html.ts'

/** Module of src/pages/assets that adds the buttons. */
export const COPY_SCRIPT = 'copy.js'

/** An id with a button that copies it. Without the module there is no button. */
export function copiedId(id: string, what: string, { event: { copy } }: Catalogue): Html {
  return html`<span class="id" data-copy="${copy.button(what)}" data-copied="${copy.done}">${id}</span>`
}

/** Text as it is, with a button that copies it. @param label read out by screen readers */
export function copiedBlock(text: string, label: string, { event: { copy } }: Catalogue): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}" data-copy="${copy.button(label)}" data-copied="${copy.done}">${text}</pre>`
}
