import { type Html, html } from './html.ts'

/** A value that a person copies. */
export interface ShownValue {
  readonly id: string
  readonly label: string
  readonly value: string
}

/** The page after a form that made a secret, which no other page shows: a GET cannot repeat it, and no cache keeps it. */
export function secretView(
  title: string,
  {
    text,
    values,
    more,
    back: [href, label],
  }: {
    readonly text: string
    readonly values: readonly ShownValue[]
    readonly more?: Html | false
    readonly back: readonly [href: string, label: string]
  },
) {
  return {
    title,
    body: html`<h1>${title}</h1>
<p role="status">${text}</p>
${values.map(
  (shown) => html`<p><label for="${shown.id}">${shown.label}</label>
<input id="${shown.id}" class="secret" readonly value="${shown.value}" autocomplete="off" spellcheck="false"></p>
`,
)}${more}
<p><a class="button" href="${href}">${label}</a></p>`,
  }
}
