import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PUBLISHED_METHODS, PUBLISHED_PACKAGE, PUBLISHED_VERSION } from '../../src/playground/published-call.ts'
import { type Operation, operationsOf } from '../operations.ts'
import { API_OF, loadBuild } from '../published-client/builds.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { askPlayground, shown, textsIn } from './playground-client.ts'

let running: RunningSimulator
let operations: Operation[]
beforeAll(async () => {
  running = await runSimulator({ servicePathSegment: 'gn' })
  operations = await operationsOf(running)
})
afterAll(() => running.stop())

it('the pages name the package in the version that the tests use', () => {
  const file = createRequire(import.meta.url).resolve(`${PUBLISHED_PACKAGE}/package.json`)
  expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(PUBLISHED_VERSION)
})

it("each method is that of the endpoint in the package's own table of routes, and each endpoint has one", async () => {
  const { apis } = await loadBuild('esm')
  const wrong = operations.flatMap(({ on, id, method, path }) => {
    const { ENDPOINTS, URL: urls } = apis[API_OF[on]] as (typeof apis)[string]
    const version = /\/v\d$/.exec(urls.SANDBOX)?.[0] ?? ''
    const named = PUBLISHED_METHODS[id]
    const route = `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
    const found = named === undefined ? undefined : ENDPOINTS[named]
    const published = found === undefined ? undefined : `${found.method.toUpperCase()} ${version}${found.route}`
    return published === (id === 'token' ? undefined : route) ? [] : [`${id}: ${route}, ${published}`]
  })
  expect(wrong).toEqual([])
})

it('the page shows the call, and says so where the package has no method', async () => {
  const { text } = await askPlayground(running, 'GET', '/endpoints/payment/putPaymentWebhook')
  expect(textsIn(text)[1]).toContain(
    'await client.payConfigWebhook({\n  url: "https://localhost:8443/callbacks/payment"\n})',
  )
  const token = await askPlayground(running, 'GET', '/endpoints/payment/token')
  expect(shown(token.text)).toContain('The package has no method for this endpoint')
})
