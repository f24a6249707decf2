import type { Catalogue } from '../../messages/catalogue.ts'
import { type Html, html } from './html.ts'

export interface PagerLinks {
  /** null: this is the first page. */
  readonly first: string | null
  /** Left out or null: it is not known. */
  readonly previous?: string | null
  /** null: there are no more. */
  readonly next: string | null
}

/** Links of a list with cursors. */
export function pager({ first, previous = null, next }: PagerLinks, { common }: Catalogue): Html | null {
  if (first === null && next === null) return null
  return html`<nav class="pager" aria-label="${common.pager}">
${first !== null && html`<a href="${first}">${common.firstPage}</a>`}
${previous !== null && html`<a class="button secondary" rel="prev" href="${previous}">${common.previousPage}</a>`}
${next !== null && html`<a class="button secondary" rel="next" href="${next}">${common.nextPage}</a>`}
</nav>`
}
