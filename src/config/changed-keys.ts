import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { ConfigWithSecrets } from './config.ts'
import { innermost } from './named.ts'
import { configSchema } from './schema.ts'
import { at } from './section-checks.ts'

type Written = Pick<ConfigWithSecrets, 'written'>

/** Keys that differ and take effect only after a restart, as written in the file. Never values: they may be secret. */
export function keysThatNeedRestart({ written: before }: Written, { written: after }: Written): string[] {
  return changesIn(configSchema('/', 'no secrets'), before, after).flatMap(({ key, schema, old, young }) => {
    const section = innermost(schema)
    if (section instanceof z.ZodArray) return keysOfEntries(key, section.element, listOf(old), listOf(young))
    const isWhole = !(section instanceof z.ZodObject) || old === undefined || young === undefined
    return isWhole ? [key] : changesIn(section, old, young).map((change) => `${key}.${change.key}`)
  })
}

interface Change {
  readonly key: string
  readonly schema: z.core.$ZodType
  readonly old: unknown
  readonly young: unknown
}

/** Of the keys of a group, without what a reload takes up. */
function changesIn(schema: z.core.$ZodType, before: unknown, after: unknown): Change[] {
  const group = innermost(schema)
  if (!(group instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(group.shape)
    .map(([key, schema]) => ({ key, schema, old: at(before, key), young: at(after, key) }))
    .filter(({ old, young }) => !isDeepStrictEqual(old, young))
    .filter(({ schema, old, young }) => {
      const { reload } = schema.meta() ?? {}
      return !(reload === 'always' || (reload === 'while set' && old !== undefined && young !== undefined))
    })
}

/** Of a list whose entries have names: one that comes or goes is named whole. */
function keysOfEntries(key: string, schema: z.core.$ZodType, before: unknown[], after: unknown[]): string[] {
  const names = new Set([...before, ...after].map((entry) => at(entry, 'name')))
  return [...names].flatMap((name) => {
    const [old, young] = [before, after].map((entries) => entries.find((entry) => at(entry, 'name') === name))
    const place = `${key}.${String(name)}`
    if (old === undefined || young === undefined) return [place]
    return changesIn(schema, old, young).map((change) => `${place}.${change.key}`)
  })
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
