import { readFileSync } from 'node:fs'
import { programFile } from '../../platform/program-files.ts'

/** What each event means and what to do, by its name: the last column of the tables in docs/log.md. */
export function readMeanings(): ReadonlyMap<string, string> {
  const page = readFileSync(programFile('docs/log.md'), 'utf8')
  const rows = page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \|.*\| (.+) \|$/gm)
  return new Map([...rows].map(([, event = '', meaning = '']) => [event, withoutMarkdown(meaning)]))
}

function withoutMarkdown(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
