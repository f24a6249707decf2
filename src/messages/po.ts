/** Translations by template; where the template has several, by `contextual(context, template)`. A plural has the texts for one and for several. */
export type Translations = ReadonlyMap<string, string | readonly [one: string, several: string]>

/** The key of a template that has another translation in this context (`msgctxt`); gettext joins the two in the same way. */
export function contextual(context: string | undefined, template: string): string {
  return context === undefined ? template : `${context}\u0004${template}`
}

/**
 * The part of the gettext format that our files use. An entry without a translation is left out, so that its text is shown in English.
 * @param file its content
 */
export function translationsIn(file: string): Translations {
  const translations = new Map<string, string | readonly [string, string]>()
  for (const block of file.split('\n\n')) {
    const entry = fieldsOf(block)
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
  return translations
}

/** Quoted lines below a keyword belong to it. */
function fieldsOf(block: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  let keyword = ''
  for (const line of block.split('\n')) {
    const [, named, quoted] = /^(?:(msg[a-z_]+(?:\[\d\])?) )?(".*")$/.exec(line) ?? []
    if (quoted === undefined) continue
    keyword = named ?? keyword
    fields[keyword] = (fields[keyword] ?? '') + (JSON.parse(quoted) as string)
  }
  return fields
}
