import type { Speaker } from '../../messages/speaker.ts'
import { type Html, html } from '../parts/html.ts'

/** Module of src/pages/assets that adds the buttons. */
export const COPY_SCRIPT = 'copy.js'

/** An id with a button that copies it. Without the module there is no button. */
export function copiedId(id: string, what: string, t: Speaker): Html {
  return html`<span class="id" data-copy="${t`Copy: ${{ name: what }}`}" data-copied="${t`Copied`}">${id}</span>`
}

/** Text as it is, with a button that copies it. @param label read out by screen readers */
export function copiedBlock(text: string, label: string, t: Speaker): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}" data-copy="${t`Copy: ${{ name: label }}`}" data-copied="${t`Copied`}">${text}</pre>`
}
