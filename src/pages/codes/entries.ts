import { readFileSync } from 'node:fs'
import type { Language } from '../../messages/languages.ts'
import { programFile } from '../../platform/program-files.ts'

/** What a code means in one place: a finding, a refusal, a log event or a problem of the API. */
export interface Meaning {
  readonly text: string
  readonly nextStep: string
}

/** By code, in the order of their names. */
export type CodeEntries = ReadonlyMap<string, readonly Meaning[]>

const FILES: Readonly<Record<Language, string>> = { en: 'docs/codes.md', pt: 'docs/pt/codes.md' }
const known = new Map<Language, CodeEntries>()

/** Those of the documentation, which is made from the source and belongs to every package. */
export function codeEntries(language: Language): CodeEntries {
  const entries = known.get(language) ?? entriesIn(readFileSync(programFile(FILES[language]), 'utf8'))
  known.set(language, entries)
  return entries
}

/** @param page Markdown: `### code`, and a list of meanings, each with its next step behind an arrow */
export function entriesIn(page: string): CodeEntries {
  const [, ...sections] = page.split('\n### ')
  return new Map(
    sections.map((section) => {
      const [code = '', ...lines] = section.split('\n')
      const meanings = lines
        .join(' ')
        .split(/(?:^| )- /)
        .slice(1)
      return [code, meanings.map(meaningOf)]
    }),
  )
}

function meaningOf(meaning: string): Meaning {
  const [text = '', nextStep = ''] = meaning.split('→')
  return { text: plain(text), nextStep: plain(nextStep) }
}

/** Links of the page lead to other pages of the documentation. */
function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/ +/g, ' ')
    .trim()
}
