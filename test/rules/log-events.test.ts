import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { LOG_EVENTS } from '../../src/messages/en/log-events.ts'
import { tableText } from '../../src/messages/say.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal']

/** `log.warn(` and `log[condition ? 'error' : 'warn'](`, where the arguments begin. */
const CALL = /\b(?:log|logger)(?:\.(debug|info|warn|error|fatal)|\[([^\]]+)\])\(/g

/** The adapter, which hands on what it was given. */
const HANDS_ON = 'src/cli/log/log.ts'

/** The last argument of a call, from behind its opening parenthesis. */
function lastArgument(text: string): string {
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (/['"`]/.test(char)) at = endOfString(text, at)
    else if (/[([{]/.test(char)) depth++
    else if (/[\])}]/.test(char)) {
      if (depth-- === 0) return text.slice(start, at).replace(/,\s*$/, '')
    } else if (char === ',' && depth === 0 && !/^\s*\)/.test(text.slice(at + 1))) start = at + 1
  }
  return ''
}

/** A template with a string in it does not occur here. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== text[start]) at += text[at] === '\\' ? 2 : 1
  return at
}

function literalsIn(expression: string): string[] {
  return [...expression.matchAll(/'([^']+)'/g)].map(([, literal = '']) => literal)
}

/** Levels by event; `problems` are calls whose event is no literal. */
function eventsOf(source: string): { levels: Map<string, Set<string>>; problems: string[] } {
  const levels = new Map<string, Set<string>>()
  const problems: string[] = []
  for (const call of source.matchAll(CALL)) {
    const [begin, level, chosen = ''] = call
    const names = literalsIn(lastArgument(source.slice(call.index + begin.length))).filter((name) =>
      /^[a-z_]+\.[a-z_]+$/.test(name),
    )
    if (names.length === 0) problems.push(source.slice(call.index, call.index + 80))
    for (const name of names) {
      const known = levels.get(name) ?? new Set()
      for (const one of level === undefined ? literalsIn(chosen) : [level]) if (LEVELS.includes(one)) known.add(one)
      levels.set(name, known)
    }
  }
  return { levels, problems }
}

function textOf(levels: Iterable<string>): string {
  return [...levels].sort().join(', ')
}

it('the catalogue has every event of the log, with its levels', () => {
  const inSource = new Map<string, Set<string>>()
  for (const file of globSync('src/**/*.ts', { cwd: ROOT })) {
    const { levels, problems } = eventsOf(readFileSync(join(ROOT, file), 'utf8'))
    if (file !== HANDS_ON) expect(problems, `${file}: the event is a literal, so that it can be documented`).toEqual([])
    for (const [name, known] of levels) inSource.set(name, new Set([...(inSource.get(name) ?? []), ...known]))
  }
  const expected = [...inSource].map(([name, levels]) => [name, textOf(levels)])
  expect(expected.length).toBeGreaterThan(80)
  const known = Object.entries(LOG_EVENTS).map(([name, { levels }]) => [name, textOf(levels)])
  expect(known.sort()).toEqual(expected.sort())
})

it('the fields of an event in Portuguese are the same', () => {
  const fieldsOf = (fields: string) => fields.match(/`[^`]+`/g) ?? []
  const differing = Object.values(LOG_EVENTS).filter(
    ({ fields }) => fieldsOf(fields).join() !== fieldsOf(tableText(fields, 'pt')).join(),
  )
  expect(differing).toEqual([])
})

it('an event that a condition chooses, or that has a level by condition, is found', () => {
  const source = `
    log.info(lineOf(a, b), position === 0 ? 'replay.started' : 'replay.continued')
    parts.log[isBad ? 'error' : 'warn']({ ...fields, text: 'a, b' }, 'disk.changed',)
    log.warn({}, name)`
  const { levels, problems } = eventsOf(source)
  expect([...levels].map(([name, known]) => [name, textOf(known)])).toEqual([
    ['replay.started', 'info'],
    ['replay.continued', 'info'],
    ['disk.changed', 'error, warn'],
  ])
  expect(problems).toHaveLength(1)
})
