import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { kindOf, kindsOf, oneFact, PRESETS, rootArray } from '../../src/conformance/facts.ts'
import { SERVERS } from '../../src/conformance/fixes/fix.ts'
import { ruleOf } from '../../src/conformance/preset-rules.ts'
import { CALLBACK_SCENARIOS, CHARGE_SCENARIOS } from '../../src/conformance/scenarios/all.ts'
import { DOCUMENT_1 } from '../../src/conformance/sources.ts'

const ALL = [...new Set([...CALLBACK_SCENARIOS, ...CHARGE_SCENARIOS])]

it('ids are unique, and each text is there in both languages', () => {
  const ids = ALL.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { id, title, why, fix } of ALL) {
    for (const words of [title, why])
      expect([words.en === '', words.pt === '', words.en === words.pt], id).toEqual([false, false, false])
    for (const server of SERVERS) expect(fix[server], id).toBeTruthy()
  }
})

it('each says where its rule is written, in a chapter that is there', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/service-decisions.md'), 'utf8')
  for (const { id, why } of ALL) {
    const { document, section, url } = why.source
    if (document.endsWith('service-decisions.md')) expect(page, id).toContain(`\n## ${section}\n`)
    else expect(document === DOCUMENT_1.document || url?.startsWith('https://'), id).toBe(true)
  }
})

it.each(['instant-payment', 'open-finance'])(
  'each rule of %s has a document that others can read, its section, and the day',
  (preset) => {
    for (const scenario of CALLBACK_SCENARIOS) {
      const { en, pt, source } = ruleOf(scenario, preset)
      expect([en === pt, source.document === DOCUMENT_1.document], scenario.id).toEqual([false, false])
      expect(source, scenario.id).toMatchObject({
        section: expect.stringMatching(/\S/),
        read: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      })
      expect(source.url?.startsWith('https://') ?? source.document.endsWith('.md'), scenario.id).toBe(true)
    }
    const own = CALLBACK_SCENARIOS.filter((one) => ruleOf(one, preset).source.url !== null)
    expect(own.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['notification', 'certless', 'suffix', 'answer-status', 'answer-time']),
    )
  },
)

it('the page of the presets has their public sources', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/conformance-presets.md'), 'utf8')
  const rows = ['instant-payment', 'open-finance'].flatMap((preset) => {
    const ids = new Map<string, string[]>()
    for (const scenario of CALLBACK_SCENARIOS) {
      // Instant payments want no header back.
      if (preset === 'instant-payment' && scenario.id === 'answer-echo') continue
      const { source } = ruleOf(scenario, preset)
      const cell = `[${source.document}](${source.url}), ${source.section} | ${source.read}`
      if (source.url !== null && !source.document.startsWith('RFC '))
        ids.set(cell, [...(ids.get(cell) ?? []), scenario.id])
    }
    return [...ids].map(([cell, of]) => `| \`${preset}\` | ${of.map((id) => `\`${id}\``).join(', ')} | ${cell} |`)
  })
  expect(page.split('\n').filter((line) => /^\| `(instant-payment|open-finance)` \|.*\(https:/.test(line))).toEqual(
    rows,
  )
})

it.each(PRESETS.flatMap((preset) => kindsOf(preset).map((kind) => [preset, kind] as const)))(
  'a callback of %s %s has a new marker each time, and an array one for each fact',
  (preset, kind) => {
    const made = kindOf(preset, kind)
    const [first, second, several] = [oneFact(made), oneFact(made), rootArray(made, 3)]
    expect(first.markers).not.toEqual(second.markers)
    for (const { body, markers } of [first, second, several])
      for (const marker of markers) expect(body.split(marker)).toHaveLength(2)
    expect([new Set(several.markers).size, JSON.parse(several.body).length]).toEqual([3, 3])
    expect(Object.keys(JSON.parse(first.body))).toEqual(Object.keys(made.fixture.body as object))
  },
)

it('simulator/docs/conformance.md lists each id once, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/conformance.md'), 'utf8')
  const [, table = ''] = page.split('## Scenarios')
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, id]) => id))
  expect(listed.sort()).toEqual(ALL.map(({ id }) => id).sort())
})
