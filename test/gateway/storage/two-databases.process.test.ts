import { linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { linesOf, portaria } from '../../cli/program.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestSite } from '../../support/gateway.ts'

/** The same site with another database in the same folder. */
function withDatabase(site: TestSite, name: string, url: string): TestSite {
  const configFile = join(site.folder, `${name}.yaml`)
  const config = parse(readFileSync(site.configFile, 'utf8')) as object
  writeFileSync(configFile, stringify({ ...config, storage: { url } }))
  return { ...site, configFile }
}

const HOOK = 'http://127.0.0.1:9/hook'

describe('two databases in one folder', () => {
  it('a command never reaches the other one’s gateway, and says what to do', async () => {
    const one = await createSite()
    const gateway = await startTestGateway(one)
    const two = withDatabase(one, 'two', 'sqlite:data/two.db')

    const made = await portaria(two, 'destinations', 'create', HOOK, '--name', 'stray')

    expect(made).toMatchObject({ code: 1, stdout: '' })
    expect(made.stderr).toMatch(
      /^portaria: the gateway that answers at \S+control\.sock owns another database, \S+portaria\.db, not \S+two\.db: put each database into its own folder \(storage\.url\)\n$/,
    )
    expect(JSON.parse((await callApi(gateway.api, '/v1/destinations')).body)).toMatchObject({ data: [] })
  })

  it('a second gateway does not take over the socket of the first', async () => {
    const one = await createSite()
    await startTestGateway(one)
    const two = withDatabase(one, 'two', 'sqlite:data/two.db')

    await expect(startTestGateway(two)).rejects.toMatchObject({
      code: 'listen_failed',
      message: expect.stringMatching(/another gateway answers at .*: give each database a folder of its own/),
    })
    expect(await portaria(one, 'destinations', 'create', HOOK, '--name', 'books')).toMatchObject({ code: 0 })
  })
})

it('one database that is reached by several paths is one', async () => {
  const site = await createSite()
  mkdirSync(join(site.folder, 'real'))
  symlinkSync('real', join(site.folder, 'data'))
  await startTestGateway(site)
  const direct = withDatabase(site, 'direct', 'sqlite:real/portaria.db')
  linkSync(join(site.folder, 'real/portaria.db'), join(site.folder, 'real/linked.db'))
  const linked = withDatabase(site, 'linked', 'sqlite:real/linked.db')

  for (const [name, at] of Object.entries({ site, direct, linked })) {
    const made = await portaria(at, 'destinations', 'create', HOOK, '--name', name, '--json')
    expect(linesOf(made), made.stderr).toMatchObject([{ name }])
  }
})

it('a gateway whose file was moved away still answers for its path', async () => {
  const site = await createSite()
  await startTestGateway(site)
  renameSync(join(site.folder, 'data/portaria.db'), join(site.folder, 'data/moved.db'))

  expect(await portaria(site, 'destinations', 'pause', 'nobody')).toMatchObject({
    code: 1,
    // The gateway compares its files once a second, so the command may come before or after it has noticed.
    stderr: expect.stringMatching(/there is no destination nobody|the database was lost/),
  })
})

it('only the control socket tells whose gateway it is', async () => {
  const gateway = await startTestGateway()
  expect((await callApi(gateway.api, '/v1/gateway')).status).toBe(404)
})
