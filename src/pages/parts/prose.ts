import { type Html, type HtmlValue, html } from '../parts/html.ts'

/** One line of Markdown, of which descriptions use only code between backticks. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`
}

export function paragraphs(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>\n`)}`
}

export function joined(values: readonly HtmlValue[], separator: string): HtmlValue {
  return values.flatMap((value, index) => (index === 0 ? [value] : [separator, value]))
}
