import { type Html, type HtmlValue, html } from './html.ts'

/** The title of a page, and beside it a link to what is made there. */
export function pageHead(title: string, link: { readonly href: string; readonly text: string } | false): Html {
  const action: HtmlValue = link && html`<a class="button" href="${link.href}">${link.text}</a>`
  return html`<div class="head"><h1>${title}</h1>${action}</div>`
}
