import type { Speaker } from '../../messages/speaker.ts'
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
export function pager({ first, previous = null, next }: PagerLinks, t: Speaker): Html | null {
  if (first === null && next === null) return null
  return html`<nav class="pager" aria-label="${t`Pages of this list`}">
${first !== null && html`<a href="${first}">${t`First page`}</a>`}
${previous !== null && html`<a class="button secondary" rel="prev" href="${previous}">${t`Previous page`}</a>`}
${next !== null && html`<a class="button secondary" rel="next" href="${next}">${t`Next page`}</a>`}
</nav>`
}
