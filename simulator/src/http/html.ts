/** A piece of HTML. Only `html` and `drawing` make one, so text from requests is always escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** HTML with its values escaped, in element content and in quoted attributes. Pieces of HTML, and lists of them, stay as they are; null is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? textOf(values[index]) : '')).join(''))
}

/** A drawing in SVG. @param svg made here, without a text of a request */
export function drawing(svg: string): Html {
  return new Html(svg)
}

type HtmlValue = string | number | null | Html | readonly Html[]

function textOf(value: HtmlValue | undefined): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(({ text }: Html) => text).join('')
  return String(value ?? '').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The only style of every page: long words are broken instead of cut off at the edge of a printed page. */
export const STYLE = 'body{overflow-wrap:anywhere}'

/** A whole page, which works without scripts. */
export function pageOf(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<h1>${title}</h1>
${content}
</body>
</html>
`
}
