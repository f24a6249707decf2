import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { reindexProgress } from '../../src/cli/storage/reindex.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { openStore } from '../../src/store/open-store.ts'
import { anInterpretedCallback } from '../support/builders.ts'
import { callApi } from '../support/calls.ts'
import { createSite, MAIN, startTestGateway, type TestGateway, type TestSite } from '../support/gateway.ts'
import { storeOptionsOf } from '../support/store.ts'
import { until } from '../support/until.ts'
import { compileCache, linesOf, portaria } from './program.ts'

const MANY = 6000

async function siteWithEvents(count: number): Promise<TestSite> {
  const site = await createSite()
  const store = await openStore(storeOptionsOf(loadConfig(site.configFile)))
  for (let from = 1; from <= count; from += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, count - from + 1) }, (_, at) =>
        store.storeCallback(anInterpretedCallback(`{"identificador":"id-${from + at}","nome":"José da Silva"}`)),
      ),
    )
  await store.close()
  return site
}

function databaseOf(site: TestSite): string {
  return join(site.folder, 'data/portaria.db')
}

function verify(site: TestSite) {
  return portaria(site, 'storage', 'verify')
}

async function stateOf(gateway: TestGateway) {
  return JSON.parse((await callApi(gateway.api, '/v1/search')).body) as { lagEvents: number; isRebuilding: boolean }
}

it('without a gateway, reindex makes the index itself: of a database without one, and of one that verify calls wrong', async () => {
  const site = await siteWithEvents(3)
  const made = await portaria(site, 'storage', 'reindex')
  expect([made.code, made.stdout]).toEqual([
    0,
    expect.stringMatching(/^the search index is made again: 0.0 MiB, events up to position 3\n$/),
  ])
  expect(made.stderr).toMatch(/indexed up to position 3 of 3\n$/)
  expect((await verify(site)).stdout).toContain('The search index agrees with the events: 3 are in it\n')

  const db = new Database(databaseOf(site))
  db.exec('delete from search_pages')
  db.close()
  const wrong = await verify(site)
  expect([wrong.code, wrong.stdout]).toEqual([
    1,
    expect.stringContaining(
      'so that searches miss them: positions 1, 2, 3\nThe events are not affected. Make the index again:',
    ),
  ])
  const again = await portaria(site, 'storage', 'reindex', '--json')
  expect([again.code, again.stderr]).toEqual([0, ''])
  expect(linesOf(again)).toMatchObject([{ indexedThrough: 3, lagEvents: 0, isRebuilding: false, problem: null }])
  expect((await verify(site)).code).toBe(0)
})

it('beside a gateway, the gateway makes it again, and continues after Ctrl-C', async () => {
  const site = await siteWithEvents(MANY)
  const gateway = await startTestGateway(site)
  await until(
    () => stateOf(gateway),
    ({ lagEvents }) => lagEvents === 0,
    60_000,
  )
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, PORTARIA_CONFIG: site.configFile }
  const child = spawn(process.execPath, [MAIN, 'storage', 'reindex'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.stderr.once('data', () => child.kill('SIGINT'))
  const [code] = await once(child, 'close')
  expect([code, said]).toEqual([
    1,
    expect.stringMatching(/^interrupted at position \d+ of 6000: the gateway continues in the background\n$/),
  ])
  const done = await portaria(site, 'storage', 'reindex', '--json')
  expect(linesOf(done)).toMatchObject([{ indexedThrough: MANY, isRebuilding: false }])
  await gateway.stop()
  expect((await verify(site)).stdout).toContain(`The search index agrees with the events: ${MANY} are in it\n`)
})

it('progress is the part of the events that is in the new index', () => {
  const shown: string[] = []
  const show = reindexProgress({ write: (text) => shown.push(text) })
  const state = { indexedThrough: 40, latest: 50, lagEvents: 10, lagSeconds: 1, indexBytes: 1, problem: null }
  show({ ...state, isRebuilding: true, rebuiltThrough: 10 }, false)
  show({ ...state, isRebuilding: false, rebuiltThrough: null }, false)
  show({ ...state, indexedThrough: 51, latest: 51, isRebuilding: false, rebuiltThrough: null }, true)
  expect(shown).toEqual([
    'indexed up to position 10 of 50\n',
    'indexed up to position 40 of 50\n',
    'indexed up to position 51 of 51\n',
  ])
})
