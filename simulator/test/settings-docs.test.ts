import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { faultSchema } from '../src/faults/fault.ts'
import { settingsSchema } from '../src/settings.ts'

const read = (page: string) => readFileSync(resolve(import.meta.dirname, `../docs/${page}.md`), 'utf8')

/** The rows of the table below a heading: cells without backticks. */
function rowsBelow(page: string, heading: string): string[][] {
  const [, part = ''] = read(page).split(new RegExp(`^## ${heading}$`, 'm'))
  const rows = (part.split(/^## /m)[0] as string).split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) =>
    row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replaceAll('`', '')),
  )
}

/** Settings by their paths. Maps by host name and nullable objects are one setting each. */
function leavesOf(defaults: unknown, path: readonly string[] = []): [string, unknown][] {
  const isGroup = typeof defaults === 'object' && defaults !== null && Object.keys(defaults).length > 0
  if (!isGroup) return [[path.join('.'), defaults]]
  return Object.entries(defaults).flatMap(([name, value]) => leavesOf(value, [...path, name]))
}

it('simulator/docs/start.md has every setting with its default, and no other', () => {
  const settings = leavesOf(settingsSchema.parse({})).map(([name, value]) => [
    ...[name, typeof value === 'string' ? value : JSON.stringify(value)],
  ])
  const documented = rowsBelow('start', 'Settings').flatMap(([names = '', value = '']) =>
    names.split(', ').map((name) => [name, value]),
  )
  expect(documented.toSorted()).toEqual(settings.toSorted())
})

it('simulator/docs/control.md has every fault, with the defaults of its parameters', () => {
  const documented = rowsBelow('control', 'Faults')
  interface Alternative {
    oneOf?: Alternative[]
    anyOf?: Alternative[]
    properties: Record<string, { const?: string; default?: unknown }>
  }
  const leaves = (one: Alternative): Alternative[] => (one.oneOf ?? one.anyOf)?.flatMap(leaves) ?? [one]
  const faults = leaves(z.toJSONSchema(faultSchema, { io: 'input' }) as unknown as Alternative)
  expect(documented.map(([name]) => name)).toEqual(faults.map(({ properties }) => properties.fault?.const))
  for (const [index, { properties }] of faults.entries()) {
    const parameters = documented[index]?.[2] ?? ''
    for (const [name, { default: standard }] of Object.entries(properties)) {
      if (name === 'seed' || name === 'certificate' || standard === undefined) continue
      expect(parameters, documented[index]?.[0]).toContain(`${name} ${standard}`)
    }
  }
})
