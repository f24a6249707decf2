import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { kindOf, kindsOf, oneFact, PRESETS, rootArray } from '../../src/conformance/facts.ts'
import { SERVERS } from '../../src/conformance/fixes.ts'
import { CALLBACK_SCENARIOS, CHARGE_SCENARIOS } from '../../src/conformance/scenarios/all.ts'

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
  const ofPage = /^simulator\/docs\/service-decisions\.md, ([^:]+): /
  const sourceless = ALL.filter(({ why: { en, pt } }) => {
    const chapter = ofPage.exec(en)?.[1]
    if (chapter !== undefined) return !page.includes(`\n## ${chapter}\n`) || ofPage.exec(pt)?.[1] !== chapter
    return !/^(Document 1, Authentication 4|RFC \d+ section [\d.]+|config\/institutions): /.test(en)
  })
  expect(sourceless.map(({ id }) => id)).toEqual([])
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

it('docs/conformance.md lists each id once, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/conformance.md'), 'utf8')
  const [, table = ''] = page.split('## Scenarios')
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, id]) => id))
  expect(listed.sort()).toEqual(ALL.map(({ id }) => id).sort())
})
