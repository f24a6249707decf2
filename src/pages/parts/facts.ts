import { type Html, type HtmlValue, html } from './html.ts'

type Fact = readonly [name: HtmlValue, value: HtmlValue]

/** A definition list; facts without a value (null, undefined, false, '') are left out. */
export function facts(list: readonly Fact[]): Html {
  return html`<dl class="facts">${given(list).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`
}

/** The numbers that matter first, side by side. */
export function figures(list: readonly Fact[]): Html {
  return html`<dl class="figures">${given(list).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`
}

function given(list: readonly Fact[]): readonly Fact[] {
  return list.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
}
