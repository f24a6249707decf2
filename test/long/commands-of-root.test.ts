import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { portaria } from '../cli/program.ts'
import { createSite, startTestGateway, type TestSite } from '../support/gateway.ts'

const SOMEBODY = 65_534
const REFUSED = /symbolic link of user 65534, and root does not write through other users' links/

/** A site below a folder of another user, who plants links to a folder of root's. */
async function siteOfSomebody() {
  const site = await createSite()
  const theirs = join(site.folder, 'theirs')
  const roots = join(site.folder, 'roots')
  for (const folder of [theirs, roots]) mkdirSync(folder)
  chownSync(theirs, SOMEBODY, SOMEBODY)
  function link(name: string, target: string): void {
    symlinkSync(target, join(theirs, name))
    lchownSync(join(theirs, name), SOMEBODY, SOMEBODY)
  }
  return { site, theirs, roots, link, run: (...args: string[]) => portaria(site, ...args) }
}

function configure({ configFile }: TestSite, change: (config: ReturnType<typeof parse>) => void): void {
  const config = parse(readFileSync(configFile, 'utf8'))
  change(config)
  writeFileSync(configFile, stringify(config))
}

describe.skipIf(process.geteuid?.() !== 0)('a command of root', () => {
  it('makes nothing behind links of the user whose folder it writes to', async () => {
    const { site, theirs, roots, link, run } = await siteOfSomebody()
    link('certs', roots)
    link('portaria.db.lock', join(roots, 'lock'))
    link('backup.db', join(roots, 'backup.db'))
    const [certificate, key] = [join(site.certs, 'server.crt'), join(site.certs, 'server.key')]
    const pair = ['--out-cert', join(theirs, 'certs/server.crt'), '--out-key', join(theirs, 'certs/server.key')]
    const request = ['--name', 'a.example', '--key', join(theirs, 'certs/a.key'), '--out', join(theirs, 'certs/a.csr')]
    const chain = join(site.certs, 'trust/production.pem')
    await (await startTestGateway(site)).stop()
    const database = join(site.folder, 'data/portaria.db')
    configure(site, (config) => {
      config.callbacks.trust[0].chain = join(theirs, 'certs/production.pem')
      config.storage.url = `sqlite:${join(theirs, 'portaria.db')}`
    })
    for (const args of [
      ['certs', 'csr', ...request],
      ['certs', 'import', certificate, '--key', key, '--incomplete', ...pair],
      ['certs', 'export', '--cert', certificate, '--key', key, '--format', 'pem', '--out', join(theirs, 'certs/all')],
      ['certs', 'trust', 'stage', chain, '--environment', 'production', '--name', 'second'],
      ['init', join(theirs, 'certs/site'), '--host-name', 'a.example'],
      ['clients', 'create', '--name', 'app', '--environment', 'production', '--scopes', 'events.read'],
    ]) {
      const { code, stderr } = await run(...args)
      expect([args.join(' '), code, stderr]).toEqual([
        args.join(' '),
        expect.any(Number),
        expect.stringMatching(REFUSED),
      ])
      expect(code).toBeGreaterThan(0)
    }
    configure(site, (config) => {
      config.storage.url = `sqlite:${database}`
    })
    // A backup is renamed over a link, never written through it.
    expect((await run('storage', 'backup', join(theirs, 'certs/backup.db'))).stderr).toMatch(REFUSED)
    expect((await run('storage', 'backup', join(theirs, 'backup.db'))).code).toBe(0)
    expect(readdirSync(roots)).toEqual([])
  })

  it('works in that folder where no link is in its way', async () => {
    const { site, theirs, run } = await siteOfSomebody()
    const pair = ['--out-cert', join(theirs, 'certs/server.crt'), '--out-key', join(theirs, 'certs/server.key')]
    mkdirSync(dirname(pair[1] ?? ''))
    configure(site, (config) => {
      config.storage.url = `sqlite:${join(theirs, 'portaria.db')}`
    })
    const [certificate, key] = [join(site.certs, 'server.crt'), join(site.certs, 'server.key')]
    const imported = await run('certs', 'import', certificate, '--key', key, '--incomplete', ...pair)
    expect([imported.code, imported.stderr]).toEqual([0, ''])
    const created = await run(
      'clients',
      'create',
      '--name',
      'app',
      '--environment',
      'production',
      '--scopes',
      'events.read',
    )
    expect([created.code, created.stderr]).toEqual([0, expect.any(String)])
    expect(existsSync(join(theirs, 'portaria.db'))).toBe(true)
  })
})
