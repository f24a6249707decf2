import { expect, it } from 'vitest'
import { bannerOf } from '../../src/cli/serve/banner.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { createSite } from '../support/gateway.ts'

async function bannerWith(api: object): Promise<string> {
  const at = { host: '127.0.0.1', port: 8080 }
  const site = await createSite({ mode: 'development', api: { ...at, port: 0, ...api } })
  return bannerOf(loadConfig(site.configFile), { addresses: { callbacks: at, charges: null, api: at }, made: [] })
}

it('a start for development says where the pages are, and how to sign in', async () => {
  const asOperator = await bannerWith({ operatorTokenFile: 'operator-token' })
  expect(asOperator).toMatch(
    /http:\/\/localhost:8080\/ui\/ {2}sign in with an empty id and the secret in \S*operator-token\n/,
  )
  expect(asOperator).toContain('  api        http://127.0.0.1:8080\n')
  const tls = { certificate: 'server.crt', privateKey: 'server.key' }
  expect(await bannerWith(tls)).toMatch(/ {2}api {8}https:\/\/127\.0\.0\.1:8080\n {2}pages {6}https:/)
  expect(await bannerWith({})).toMatch(/\/ui\/ {2}sign in with a client: .*clients create\n/)
  expect(await bannerWith({ pages: 'off' })).not.toContain('/ui/')
})
