import { packageFile } from './program-files.ts'

/** Where a text is said: `playground`, `document` of OpenAPI, `conformance`; null: the command line. */
export type Context = 'playground' | 'document' | 'conformance' | null

type Translations = Map<string, string>

let known: Map<Context, Translations> | null = null

/** English texts, with values as `{name}`, and each of them in Portuguese. */
export function portuguese(context: Context): ReadonlyMap<string, string> {
  known ??= translationsIn(packageFile('src/messages/pt.po'))
  return known.get(context) ?? new Map()
}

/**
 * The part of the gettext format that the file uses.
 * @param file its content
 */
export function translationsIn(file: string): Map<Context, Translations> {
  const translations = new Map<Context, Translations>()
  for (const entry of file.split('\n\n')) {
    const fields = Object.fromEntries(
      [...entry.matchAll(/^(msg\w+) (".*")$/gm)].map(([, keyword = '', quoted = '']) => [keyword, JSON.parse(quoted)]),
    )
    const { msgctxt = null, msgid = '', msgstr = '' }: { msgctxt?: Context; msgid?: string; msgstr?: string } = fields
    if (msgid === '' || msgstr === '') continue
    if (!translations.has(msgctxt)) translations.set(msgctxt, new Map())
    translations.get(msgctxt)?.set(msgid, msgstr)
  }
  return translations
}
