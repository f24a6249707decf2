import { readFileSync } from 'node:fs'
import type { Language } from '../../messages/languages.ts'
import { programFile } from '../../platform/program-files.ts'

/** What each event means and what to do, by its name: the last column of the tables in docs/log.md, or docs/pt/log.md. */
export function readMeanings(language: Language = 'en'): ReadonlyMap<string, string> {
  const page = readFileSync(programFile(language === 'en' ? 'docs/log.md' : `docs/${language}/log.md`), 'utf8')
  const rows = page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \|.*\| (.+) \|$/gm)
  return new Map([...rows].map(([, event = '', meaning = '']) => [event, withoutMarkdown(meaning)]))
}

function withoutMarkdown(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
