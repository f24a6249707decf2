import { createHash } from 'node:crypto'
import { packageFile } from '../messages/program-files.ts'

const TYPES = {
  'playground.css': 'text/css; charset=utf-8',
  'form.js': 'text/javascript; charset=utf-8',
  'playground.js': 'text/javascript; charset=utf-8',
  'update.js': 'text/javascript; charset=utf-8',
} as const
export type Asset = keyof typeof TYPES

export interface Assets {
  /** The content is part of the query, so that browsers ask again after a change. */
  pathOf(name: Asset): string
  find(name: string): { readonly type: string; readonly text: string } | undefined
}

/** The style sheet and the scripts, which no other page has to build. */
export function readAssets(): Assets {
  const files = new Map(
    Object.entries(TYPES).map(([name, type]) => [name, { type, text: packageFile(`src/playground/assets/${name}`) }]),
  )
  const hash = createHash('sha256')
  for (const { text } of files.values()) hash.update(text)
  const version = hash.digest('hex').slice(0, 12)
  return {
    pathOf: (name) => `/playground/assets/${name}?${version}`,
    find: (name) => files.get(name),
  }
}
