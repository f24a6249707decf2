import type { Catalogue } from '../../messages/catalogue.ts'
import { type Html, html } from './html.ts'

/** Links of a list with cursors. @param first null: this is the first page. @param next null: there are no more */
export function pager(
  { first, next }: { first: string | null; next: string | null },
  { common }: Catalogue,
): Html | null {
  if (first === null && next === null) return null
  return html`<nav class="pager" aria-label="${common.pager}">
${first !== null && html`<a href="${first}">${common.firstPage}</a>`}
${next !== null && html`<a class="button" rel="next" href="${next}">${common.nextPage}</a>`}
</nav>`
}
