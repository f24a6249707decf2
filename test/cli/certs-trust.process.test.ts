import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IssuedCertificate } from '../support/authority.ts'
import { startTestGateway, type TestSite } from '../support/gateway.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { callOnce, createWorld, openCaller, put, siteOf, trustFile, type World } from '../support/reloading.ts'
import { linesOf, portaria } from './program.ts'

interface View {
  readonly changes: { change: string; role: string; subject: string; fingerprint: string }[]
  readonly callersSeen: number
  readonly callersRefused: { subject: string; problem: string }[]
}

describe.skipIf(!hasOpenssl)('certs trust', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let world: World
  let server: IssuedCertificate
  beforeAll(() => {
    world = createWorld(folder)
    server = world.server('server')
  })

  const trust = (site: TestSite, ...args: string[]) => portaria(site, 'certs', 'trust', ...args)
  const production = ['--environment', 'production']
  const namesIn = (site: TestSite, where: string) => {
    const path = trustFile(site, where)
    return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.pem')) : []
  }

  /** A site that has seen the callers of the chain `first` (production) and of `sandbox`. */
  async function siteWithCallers(): Promise<TestSite> {
    const site = await siteOf(world, server)
    const gateway = await startTestGateway(site)
    for (const { caller } of [world.first, world.sandbox])
      expect(await callOnce(gateway.callbacks.port, caller)).toBe(200)
    await gateway.stop()
    return site
  }

  it('list shows what is trusted, what waits and what has been, as a table and as JSON', async () => {
    const site = await siteOf(world, server)
    put(site, 'production/second.pem', world.second)
    put(site, 'production/staged/new.pem', world.untrusted)
    put(site, 'production/retired/old.pem', world.sandbox)
    writeFileSync(trustFile(site, 'production/damaged.pem'), 'garbage')
    const [table, json, limited] = await Promise.all([
      trust(site, 'list', ...production),
      trust(site, 'list', '--json'),
      trust(site, 'list', '--json', '--limit', '2'),
    ])
    expect(table.code).toBe(0)
    expect(
      table.stdout.split('\n').map((line) =>
        line
          .split(/\s{2,}/)
          .slice(0, 4)
          .join(' | '),
      ),
    ).toEqual([
      'environment | name | state | issues callers',
      'production | production | active | "CN=first"',
      expect.stringMatching(/^production \| damaged \| active \| .*damaged\.pem contains no certificate/),
      'production | second | active | "CN=second"',
      'production | new | staged | "CN=untrusted"',
      'production | old | retired | "CN=sandbox"',
      '',
    ])
    expect(linesOf(json).map(({ environment, name, state }) => [environment, name, state].join(' '))).toEqual([
      'production production active',
      'production damaged active',
      'production second active',
      'production new staged',
      'production old retired',
      'sandbox sandbox active',
    ])
    expect(linesOf(json)[0]).toEqual({
      institution: null,
      environment: 'production',
      name: 'production',
      state: 'active',
      file: trustFile(site, 'production.pem'),
      issuing: ['"CN=first"'],
      mayCall: [],
      expires: expect.stringMatching(/^20\d\d-/),
      problem: null,
      inUse: null,
    })
    expect(linesOf(limited)).toHaveLength(2)
  })

  it('a new chain is staged with an answer to who would be refused, and replaces the old one only when that is meant', async () => {
    const site = await siteWithCallers()
    // An institution hands out its root and its issuing certificate as two files.
    const { cert, chain } = world.second.issuing
    const root = chain.slice(cert.length)
    const files = [join(site.folder, 'root.pem'), join(site.folder, 'second.pem')] as const
    writeFileSync(files[0], root)
    writeFileSync(files[1], `# from the service\n${readFileSync(world.second.caller.keyFile)}${cert}`)
    const stage = () => trust(site, 'stage', ...files, '--name', 'second', ...production)

    const staged = await stage()
    expect([staged.code, staged.stderr]).toEqual([0, ''])
    expect(staged.stdout).toMatch(/\+ added {2,}issues callers, may not call itself {2,}"CN=second"/)
    expect(staged.stdout).toMatch(/- removed {2,}root {2,}"CN=first-root"/)
    expect(staged.stdout).toMatch(
      /REFUSED would be 1 of 1 callers seen in the last 30 days:\n {2}"CN=first-caller", last seen in the hour from .*Z: no installed certificate has issued it/,
    )
    expect(staged.stdout).toContain('portaria certs trust activate second --environment production --replace')
    // Neither a key nor anything else but certificates.
    expect(readFileSync(trustFile(site, 'production/staged/second.pem'), 'utf8')).toBe(root + cert)
    expect(statSync(trustFile(site, 'production/staged/second.pem')).mode & 0o777).toBe(0o644)

    const again = await stage()
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('a chain second is staged already')])
    const refused = await trust(site, 'activate', 'second', ...production, '--replace')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/nothing was changed: .*add --yes/)])
    expect(namesIn(site, 'production/staged')).toEqual(['second.pem'])

    const beside = await trust(site, 'activate', 'second', ...production)
    expect([beside.code, beside.stdout]).toEqual([
      0,
      expect.stringMatching(
        /All 1 callers seen .* are accepted\.\n\nthe chain second is active\. No gateway is running; it applies at the next start/,
      ),
    ])
    const twice = await trust(site, 'activate', 'second', ...production)
    expect([twice.code, twice.stderr]).toEqual([1, 'portaria: the chain second is active already\n'])

    const retired = await trust(site, 'retire', 'production', ...production)
    expect([retired.code, retired.stderr]).toEqual([1, expect.stringContaining('add --yes')])
    const forced = await trust(site, 'retire', 'production', ...production, '--yes')
    expect([forced.code, forced.stderr]).toEqual([0, ''])
    expect(namesIn(site, 'production/retired')).toEqual(['production.pem'])
    const last = await trust(site, 'retire', 'second', ...production, '--yes')
    expect([last.code, last.stderr]).toEqual([
      1,
      expect.stringContaining('second is the only active chain of production'),
    ])
  })

  it('whom an earlier change locked out blocks no one, and what was retired comes back', async () => {
    const site = await siteWithCallers()
    put(site, 'production/second.pem', world.second)
    const retired = await trust(site, 'retire', 'production', ...production, '--yes')
    expect([retired.code, retired.stderr]).toEqual([0, ''])
    const third = await trust(site, 'stage', world.untrusted.issuing.chainFile, ...production, '--name', 'third')
    expect(third.stdout).toContain('No caller of this environment was seen')
    const replaced = await trust(site, 'activate', 'third', ...production, '--replace')
    expect([replaced.code, replaced.stderr]).toEqual([0, ''])
    const back = await trust(site, 'activate', 'production', ...production, '--replace')
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('production is active; retired: third')])
    expect([namesIn(site, 'production'), namesIn(site, 'production/retired')]).toEqual([
      ['production.pem'],
      ['second.pem', 'third.pem'],
    ])
  })

  it('retiring a chain that joined the others needs --yes too, where its callers were seen', async () => {
    const site = await siteWithCallers()
    put(site, 'production/first.pem', world.first)
    put(site, 'production.pem', world.second)
    const retired = await trust(site, 'retire', 'first', ...production)
    expect([retired.code, retired.stderr]).toEqual([1, expect.stringContaining('add --yes')])
    expect(retired.stdout).toContain('REFUSED would be 1 of 1')
    expect(namesIn(site, 'production')).toContain('first.pem')
  })

  it('diff says the same and changes nothing, for a file and for a name', async () => {
    const site = await siteWithCallers()
    put(site, 'production/staged/renewed.pem', world.second)
    const [byName, byFile, same] = await Promise.all([
      trust(site, 'diff', 'renewed', ...production, '--json'),
      trust(site, 'diff', world.second.issuing.chainFile, ...production, '--json'),
      trust(site, 'diff', 'production', ...production),
    ])
    const [view] = linesOf<View>(byName)
    expect(linesOf(byFile)).toEqual([view])
    expect(view?.changes.map(({ change, role, subject }) => `${change} ${role} ${subject}`)).toEqual([
      'added issuing CN=second',
      'added root CN=second-root',
      'removed issuing CN=first',
      'removed root CN=first-root',
    ])
    expect(view).toMatchObject({
      environment: 'production',
      callersSeen: 1,
      callersRefused: [{ subject: 'CN=first-caller', problem: 'sibling_issuer' }],
    })
    expect(same.stdout).toMatch(/nothing is added or removed\n\nAll 1 callers seen/)
    expect([namesIn(site, 'production'), namesIn(site, 'production/staged')]).toEqual([[], ['renewed.pem']])
  })

  it('a chain that cannot be trusted is not staged', async () => {
    const site = await siteOf(world, server)
    const bad: [content: string, what: RegExp][] = [
      ['garbage', /bad-0\.pem contains no certificate/],
      [world.second.issuing.cert, /does not lead to a self-signed root/],
      [world.second.caller.cert, /is not a CA certificate/],
      [world.sandbox.issuing.chain, /issues callers in .* \(production\)/],
    ]
    const tried = bad.map(async ([content, what], index) => {
      const file = join(site.folder, `bad-${index}.pem`)
      writeFileSync(file, content)
      const ended = await trust(site, 'stage', file, ...production)
      expect(ended.code).toBeGreaterThan(0)
      expect(ended.stderr).toMatch(what)
    })
    await Promise.all(tried)
    const named = await trust(site, 'stage', world.second.issuing.chainFile, ...production, '--name', '../sandbox')
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining("cannot be a chain's name")])
    expect(existsSync(trustFile(site, 'production'))).toBe(false)
  })

  it('what is damaged can be replaced by what is not', async () => {
    const site = await siteOf(world, server)
    writeFileSync(trustFile(site, 'production.pem'), 'garbage')
    const staged = await trust(site, 'stage', world.first.issuing.chainFile, ...production)
    expect([staged.code, staged.stderr]).toEqual([0, ''])
    expect(staged.stdout).toMatch(/^No chain of production can be used yet; with this one:\n/)
    const ended = await trust(site, 'activate', 'first.chain', ...production, '--replace')
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect([namesIn(site, 'production'), namesIn(site, 'production/retired')]).toEqual([
      ['first.chain.pem'],
      ['production.pem'],
    ])
  })

  it('the chains of an institution change with --institution, which the next step names too', async () => {
    const site = await siteOf(world, server)
    put(site, 'bank.pem', world.second)
    const institution = (name: string, chain: string) => ({
      name,
      trust: [{ environment: 'production', chain: `certs/trust/${chain}` }],
      kinds: { transfer: { path: `/${name}/transfer` } },
    })
    await siteOf(world, server, { institutions: [institution('bank-a', 'bank.pem')] }, site.folder)
    const bank = [...production, '--institution', 'bank-a']
    const file = world.untrusted.issuing.chainFile
    const staged = await trust(site, 'stage', file, ...bank, '--name', 'new')
    expect([staged.code, staged.stderr]).toEqual([0, ''])
    expect(staged.stdout).toMatch(/^Instead of the active chain of bank-a\/production:/)
    const [next = ''] = /trust activate new .* --replace/.exec(staged.stdout) ?? []
    expect(next).toBe('trust activate new --institution bank-a --environment production --replace')
    const [activated, json, unknown, of] = [
      await portaria(site, 'certs', ...next.split(' ')),
      await trust(site, 'list', '--institution', 'bank-a', '--json'),
      await trust(site, 'diff', file, ...production, '--institution', 'bank-b'),
      await trust(site, 'retire', 'new', ...production),
    ]
    expect([activated.code, activated.stderr]).toEqual([0, ''])
    expect(
      linesOf(json).map(({ institution, environment, name, state }) => [institution, environment, name, state]),
    ).toEqual([
      ['bank-a', 'production', 'new', 'active'],
      ['bank-a', 'production', 'bank', 'retired'],
    ])
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('there is no institution "bank-b"; did you mean "bank-a"?'),
    ])
    // The unnamed institution has no such chain.
    expect([of.code, of.stderr]).toEqual([1, expect.stringContaining('there is no chain new')])
  })

  it('a running gateway has taken a change up before the command ends', async () => {
    const site = await siteOf(world, server)
    const gateway = await startTestGateway(site)
    const { port } = gateway.callbacks
    const old = await openCaller(port, world.first.caller)
    expect(await old.call('before')).toBe(200)

    expect((await trust(site, 'stage', world.second.issuing.chainFile, ...production, '--name', 'second')).code).toBe(0)
    expect(await callOnce(port, world.second.caller)).toBe(0)
    const activated = await trust(site, 'activate', 'second', ...production)
    expect(activated.stdout).toContain('second is active. The running gateway has applied it.')
    expect(await callOnce(port, world.second.caller)).toBe(200)

    const retired = await trust(site, 'retire', 'production', ...production, '--yes')
    expect(retired.stdout).toContain('production is retired. The running gateway has applied it.')
    expect(await callOnce(port, world.first.caller)).toBe(0)
    await old.closed()

    // What it could not take up besides is reported; the chains are as they should be all the same.
    writeFileSync(join(site.certs, 'server.crt'), 'garbage')
    const back = await trust(site, 'activate', 'production', ...production)
    expect([back.code, back.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^not taken up: the callback listener's certificate stays unchanged: .*server\.crt contains no/,
      ),
    ])
    expect(await callOnce(port, world.first.caller)).toBe(200)

    // A damaged chain of another environment stops no change here, and the list says what the gateway uses.
    writeFileSync(trustFile(site, 'sandbox.pem'), 'garbage')
    const third = world.untrusted.issuing.chainFile
    expect(await trust(site, 'stage', third, ...production, '--name', 'third')).toMatchObject({ code: 0, stderr: '' })
    expect(await trust(site, 'activate', 'third', ...production)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('third is active. The running gateway has applied it.'),
      stderr: expect.stringContaining('not taken up: a chain of sandbox stays unchanged'),
    })
    mkdirSync(join(site.certs, 'trust/sandbox'), { recursive: true })
    writeFileSync(join(site.certs, 'trust/sandbox/cut.pem'), 'garbage')
    const uses = linesOf(await trust(site, 'list', '--json')).map(({ name, state, inUse }) => [name, state, inUse])
    expect(uses).toEqual([
      ['production', 'active', 'yes'],
      ['second', 'active', 'yes'],
      ['third', 'active', 'yes'],
      ['sandbox', 'active', 'earlier'],
      ['cut', 'active', 'no'],
    ])

    // The callers of a damaged chain are accepted by its earlier content, so a change that refuses them needs --yes.
    writeFileSync(trustFile(site, 'production/production.pem'), 'garbage')
    const refused = await trust(site, 'retire', 'production', ...production)
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('REFUSED would be 1 of ')])
    expect(await callOnce(port, world.first.caller)).toBe(200)
  })
})
