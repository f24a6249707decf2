import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const DOCS = resolve(import.meta.dirname, '../../docs')

/** The code blocks of a page in this language. @param values by what the page has in their place, such as a port */
export function recipesOf(page: string, language: string, values: Readonly<Record<string, string | number>>): string[] {
  const text = readFileSync(join(DOCS, page), 'utf8')
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, one]) => one === language)
  return blocks.map(([, , block = '']) =>
    Object.entries(values).reduce((recipe, [documented, value]) => replaced(recipe, documented, value), block),
  )
}

function replaced(recipe: string, documented: string, value: string | number): string {
  const escaped = documented.replace(/[.[\]/]/g, '\\$&')
  return recipe.replace(RegExp(`(?<![\\w.-])${escaped}(?![\\w-])`, 'g'), String(value))
}
