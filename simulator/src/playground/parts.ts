import { type Html, html } from '../http/html.ts'
import { localDateTime } from '../rules/local-time.ts'
import { decimalOf } from '../rules/money.ts'
import type { View } from './page.ts'

/** A simulated time as the service's customers read it, `YYYY-MM-DD HH:MM:SS`. */
export function momentOf(ms: number, timeZone: string): string {
  return localDateTime(ms, timeZone)
}

/** A simulated time of the chosen environment. @param at ISO 8601, or ms since 1970 */
export function timeOf({ surroundings, caller }: View, at: string | number): Html {
  const ms = typeof at === 'number' ? at : Date.parse(at)
  const { timeZone } = surroundings.sites[caller.environment].settings
  return html`<time datetime="${new Date(ms).toISOString()}">${momentOf(ms, timeZone)}</time>`
}

/** Reais of an amount in cents. */
export function amountOf(cents: number): string {
  return `R$ ${decimalOf(cents)}`
}

/** A table whose rows become blocks on a narrow screen. The first cell of a row names it. */
export function tableOf(
  titles: readonly string[],
  rows: readonly (readonly (Html | string | number | null)[])[],
  empty: string,
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const cellsOf = ([first, ...others]: (typeof rows)[number]) =>
    html`<tr><th scope="row">${first ?? null}</th>${others.map((one, index) => html`<td data-title="${titles[index + 1] ?? ''}">${one}</td>`)}</tr>`
  return html`<div class="scroll"><table class="stack"><thead><tr>${titles.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead><tbody>${rows.map(cellsOf)}</tbody></table></div>`
}

export function factsOf(facts: readonly (readonly [name: string, value: Html | string | number])[]): Html {
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

export function linkTo(address: string, text: string): Html {
  return html`<a href="${address}">${text}</a>`
}
