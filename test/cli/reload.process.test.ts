import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
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
