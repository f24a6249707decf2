import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { callApi } from '../support/calls.ts'
import { createSite, spawnGateway, type TestSite } from '../support/gateway.ts'
import { portaria } from './program.ts'

/** Answers on the control socket as a gateway does that was started before `portaria reload` existed. */
async function startOlderGateway({ folder }: TestSite): Promise<void> {
  mkdirSync(join(folder, 'data'))
  const server = createServer(({ method }, response) => {
    const about = { database: { file: join(folder, 'data/portaria.db'), inode: null } }
    const isKnown = method === 'GET'
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? about : { code: 'not_found', detail: 'there is no such path' }))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((done) => server.listen(join(folder, 'data/control.sock'), done))
}

it('reload prints the file, what was renewed and what needs a restart, as one JSON object too', async () => {
  const site = await createSite()
  await spawnGateway(site)
  const { code, stdout, stderr } = await portaria(site, 'reload', '--json')
  expect([code, stderr, JSON.parse(stdout)]).toEqual([
    0,
    '',
    { file: site.configFile, renewed: [], problems: [], needRestart: [] },
  ])
})

it('reload of a gateway that does not know the request says to restart it', async () => {
  const site = await createSite()
  await startOlderGateway(site)
  expect(await portaria(site, 'reload')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^portaria: the running gateway is older than this command: restart it/),
  })
})

it('reload and check compare the file with what the gateway runs with, and keys that wait for a restart stay named', async () => {
  const site = await createSite()
  const gateway = await spawnGateway(site)
  const other = { ...site, configFile: join(site.folder, 'q.yaml') }
  copyFileSync(site.configFile, other.configFile)
  expect(await portaria(other, 'reload')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /the running gateway has the configuration \S+portaria\.yaml \(SHA-256 \w{64}\), not \S+q\.yaml/,
    ),
  })

  const text = readFileSync(site.configFile, 'utf8')
  writeFileSync(site.configFile, text.replace('/callbacks/payment', '/callbacks/other'))
  const findings = async () => {
    const { stdout } = await portaria(site, 'check', '--offline', '--json')
    return stdout.split('\n').flatMap((line) => /"code":"(configuration[._]n\w+)"/.exec(line)?.[1] ?? [])
  }
  expect(await findings()).toEqual(['configuration.not_loaded'])
  expect(await portaria(site, 'reload')).toMatchObject({ code: 0 })
  expect(await findings()).toEqual(['configuration_needs_restart'])
  const overview = JSON.parse((await callApi(gateway.api, '/v1/overview')).body)
  expect(overview.reasons).toContainEqual(
    expect.objectContaining({ code: 'configuration_needs_restart', detail: 'callbacks.kinds' }),
  )
  const ready = JSON.parse((await callApi(gateway.api, '/readyz')).body)
  expect(ready.configuration).toEqual({ ...overview.configuration, generation: 2, needRestart: ['callbacks.kinds'] })
  expect(ready.warnings).toContain('changed keys wait for a restart: callbacks.kinds')

  writeFileSync(site.configFile, text)
  expect(await portaria(site, 'reload')).toMatchObject({ code: 0 })
  expect(await findings()).toEqual([])
})
