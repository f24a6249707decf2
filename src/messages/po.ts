/** Translations by template; where the template has several, by `contextual(context, template)`. A plural has the texts for one and for several. */
export type Translations = ReadonlyMap<string, string | readonly [one: string, several: string]>

/** What gettext, too, has between the context and the template. */
const JOINT = '\u0004'

/** The key of a template that has another translation in this context (`msgctxt`). */
export function contextual(context: string | undefined, template: string): string {
  return context === undefined ? template : `${context}${JOINT}${template}`
}

export function isOfContext(key: string): boolean {
  return key.includes(JOINT)
}

/**
 * The part of the gettext format that our files use. An entry without a translation is left out, so that its text is shown in English.
 * @param file its content
 */
export function translationsIn(file: string): Translations {
  const translations = new Map<string, string | readonly [string, string]>()
  let entry: Entry = {}
  let keyword = ''
  // Line by line, since what is thrown away again while a command starts is memory that it has taken.
  for (let from = 0; from < file.length; ) {
    const end = file.indexOf('\n', from)
    const to = end < 0 ? file.length : end
    if (to === from) {
      add(entry, translations)
      entry = {}
    } else if (file[from] !== '#') {
      const quote = file.indexOf('"', from)
      if (quote > from) keyword = file.slice(from, quote - 1)
      // Quoted lines below a keyword belong to it.
      entry[keyword] = (entry[keyword] ?? '') + unquoted(file.slice(quote, to))
    }
    from = to + 1
  }
  add(entry, translations)
  return translations
}

/** Texts by keyword. */
type Entry = Record<string, string>

function add(entry: Entry, translations: Map<string, string | readonly [string, string]>): void {
  const {
    msgctxt,
    msgid = '',
    msgid_plural: several,
    msgstr = '',
    'msgstr[0]': one = '',
    'msgstr[1]': more = '',
  } = entry
  if (several !== undefined && one !== '' && more !== '') translations.set(contextual(msgctxt, several), [one, more])
  else if (msgid !== '' && msgstr !== '') translations.set(contextual(msgctxt, msgid), msgstr)
}

function unquoted(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}
