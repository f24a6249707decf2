import { type Html, type HtmlValue, html } from './html.ts'

/** A definition list; facts without a value (null, undefined, false, '') are left out. */
export function facts(list: readonly (readonly [name: HtmlValue, value: HtmlValue])[]): Html {
  const given = list.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
  return html`<dl class="facts">${given.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`
}
