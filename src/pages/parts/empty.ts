import { type Html, type HtmlValue, html } from './html.ts'

/** Instead of a list without items. @param advice what the reader can do */
export function empty(text: string, advice?: HtmlValue): Html {
  return html`<div class="empty"><p>${text}</p>${advice && html`<p>${advice}</p>`}</div>`
}
