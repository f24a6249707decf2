/** Text that is HTML already. Only `html` makes it, so that every other value is escaped. */
export class Html {
  readonly #text: string

  /** @param text must be safe as it is */
  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** What a template may contain: arrays are joined, null, undefined and false are left out, and every text is escaped. */
export type HtmlValue = Html | string | number | bigint | null | undefined | false | readonly HtmlValue[]

/** A template whose values are escaped for element content and for attribute values in double quotes. Values belong nowhere else. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => (index === 0 ? '' : textOf(values[index - 1])) + part).join(''))
}

function textOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (typeof value === 'object') return value.map(textOf).join('')
  return escapeHtml(String(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
