import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { BASE_CALLBACKS, createSite, startTestGateway } from '../support/gateway.ts'
import { callByOpenssl, hasOpenssl, openssl } from '../support/openssl.ts'
import { canMount, fillerIn, mountSmall } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Ended, linesOf, portaria } from './program.ts'

interface Issued {
  readonly serial: string
  readonly name: string
  readonly state: string
}

describe.skipIf(!hasOpenssl)('a private authority (with openssl)', () => {
  let work: string
  let folder: string
  const at = (name: string) => join(work, name)

  beforeEach(async () => {
    work = temporaryFolder()
    folder = at('authority')
  })

  const certs = (...args: string[]) => portaria(null, 'certs', ...args)
  const inAuthority = (...args: string[]) => certs(...args, '--authority', folder)
  const issue = (name: string, ...args: string[]) =>
    inAuthority('issue', name, '--for', 'app', '--out', work, '--json', ...args)
  const listed = async () => linesOf<Issued>(await inAuthority('authority', 'list', '--all', '--json'))

  async function create(...args: string[]): Promise<void> {
    expect(await certs('authority', 'create', '--out', folder, ...args)).toMatchObject({ code: 0, stderr: '' })
  }

  /** What openssl says of a certificate; the list is checked too. */
  function verdict(file: string, purpose = 'sslclient'): string {
    const trust = ['-CAfile', join(folder, 'ca.pem'), '-CRLfile', join(folder, 'crl.pem')]
    const options = ['-x509_strict', '-crl_check', '-purpose', purpose]
    const { stdout, stderr } = spawnSync('openssl', ['verify', ...options, ...trust, at(file)], { encoding: 'utf8' })
    return /error \d+ at.*?: (.*)/.exec(stderr)?.[1] ?? stdout.trim().split(': ').at(-1) ?? ''
  }

  function request(name: string, ...args: string[]): string {
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.csr`)]
    openssl(['req', '-new', '-nodes', ...files, '-subj', `/O=Banco/CN=${name}`, ...args])
    return at(`${name}.csr`)
  }

  const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

  it.each([[], ['--key-type', 'rsa2048']])('issues for TLS clients only: %s', async (...keyType) => {
    await create('--name', 'Livraria São João', ...keyType)
    expect(statSync(join(folder, 'ca.key')).mode & 0o777).toBe(0o600)
    const authority = openssl(['x509', '-in', join(folder, 'ca.pem'), '-noout', '-text', '-nameopt', 'utf8'])
    for (const part of ['CN=Livraria São João', 'CA:TRUE, pathlen:0', 'Certificate Sign, CRL Sign'])
      expect(authority).toContain(part)

    const { stdout } = await issue('books.example.com', '--p12', '--days', '90', ...keyType)
    expect(statSync(at('books.example.com.key')).mode & 0o777).toBe(0o600)
    expect([verdict('books.example.com.pem'), verdict('books.example.com.pem', 'sslserver')]).toEqual([
      'OK',
      'unsuitable certificate purpose',
    ])
    const text = openssl(['x509', '-in', at('books.example.com.pem'), '-noout', '-text'])
    for (const part of ['CA:FALSE', 'Digital Signature', 'Web Client', 'DNS:books.example.com'])
      expect(text).toContain(part)
    expect(text).not.toContain('Web Server')
    const { serial } = JSON.parse(stdout) as Issued
    expect(openssl(['x509', '-in', at('books.example.com.pem'), '-noout', '-serial'])).toBe(
      `serial=${serial.toUpperCase()}\n`,
    )

    const password = ['-passin', `file:${at('books.example.com.p12-password')}`]
    const p12 = ['pkcs12', '-in', at('books.example.com.p12'), ...password]
    openssl([...p12, '-nodes', '-out', at('opened.pem')])
    const keyOf = (file: string) => openssl(['pkey', '-in', at(file), '-pubout'])
    expect(keyOf('opened.pem')).toBe(keyOf('books.example.com.key'))
    const { stderr } = spawnSync('openssl', [...p12, '-info', '-noout'], { encoding: 'utf8' })
    expect(stderr).toMatch(/Encrypted data: PBES2, PBKDF2, AES-256-CBC/)
    expect(stderr).toMatch(/Keybag: PBES2, PBKDF2, AES-256-CBC/)
    for (const secret of ['p12', 'p12-password'])
      expect(statSync(at(`books.example.com.${secret}`)).mode & 0o777).toBe(0o600)
  })

  it('overwrites neither an authority nor the files of a certificate', async () => {
    await create()
    const before = readFileSync(join(folder, 'ca.key'), 'utf8')
    expect(await certs('authority', 'create', '--out', folder)).toMatchObject({
      code: 1,
      stderr: /is not empty/ as never,
    })
    expect(readFileSync(join(folder, 'ca.key'), 'utf8')).toBe(before)
    await issue('books')
    const again = await issue('books')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('books.key exists already')])
    expect(await listed()).toHaveLength(1)
  })

  it('a revoked certificate is on the list, which other programs refuse; its name may be used again', async () => {
    await create()
    await issue('books')
    await issue('shop')
    const number = () => openssl(['crl', '-in', join(folder, 'crl.pem'), '-noout', '-crlnumber'])
    const first = number()
    const revoked = await inAuthority('revoke', 'books', '--because', 'key-compromise')
    expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringContaining('revoked books (app)')])
    expect([verdict('books.pem'), verdict('shop.pem')]).toEqual(['certificate revoked', 'OK'])
    const list = openssl(['crl', '-in', join(folder, 'crl.pem'), '-noout', '-text', '-CAfile', join(folder, 'ca.pem')])
    expect(list).toContain('Key Compromise')
    expect(number() > first).toBe(true)
    expect(number()).not.toBe(first)

    for (const name of ['key', 'pem']) rmSync(at(`books.${name}`))
    await issue('books')
    expect([verdict('books.pem'), (await listed()).map(({ name, state }) => `${name} ${state}`).sort()]).toEqual([
      'OK',
      ['books revoked', 'books valid', 'shop valid'],
    ])
    const { serial = '' } = (await listed()).find(({ name }) => name === 'shop') ?? {}
    const colons = serial.toUpperCase().replaceAll(/(..)(?!$)/g, '$1:')
    expect(await inAuthority('revoke', colons)).toMatchObject({ code: 0 })
    expect(verdict('shop.pem')).toBe('certificate revoked')
    expect(await inAuthority('revoke', 'shop')).toMatchObject({ code: 1, stderr: /revoked already/ as never })
    expect(await inAuthority('revoke', 'nobody')).toMatchObject({ code: 1, stderr: /no certificate/ as never })
  })

  it('signs a request for what its sender is, and for nothing else that it asks for', async () => {
    await create()
    const wanted = ['subjectAltName=DNS:hooks.banco.com.br,URI:urn:portaria:client:cli_1', 'basicConstraints=CA:TRUE']
    const asked = [...wanted, 'keyUsage=keyCertSign', 'extendedKeyUsage=serverAuth'].flatMap((one) => ['-addext', one])
    const csr = request('banco', ...EC, ...asked)
    const unasked = await inAuthority('sign', csr)
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('CN=banco')])
    expect(unasked.stderr).toContain('add --yes')
    const signed = await inAuthority('sign', csr, '--yes')
    expect([signed.code, signed.stderr]).toEqual([0, ''])
    for (const part of ['O=Banco, CN=banco', 'url:urn:portaria', 'to be an authority'])
      expect(signed.stdout).toContain(part)
    const text = openssl(['x509', '-in', at('banco.pem'), '-noout', '-text'])
    for (const part of ['CA:FALSE', 'Digital Signature', 'Web Client', 'DNS:hooks.banco.com.br'])
      expect(text).toContain(part)
    expect(text.match(/URI:\S+/g)).toEqual(['URI:urn:portaria:institution'])
    for (const part of ['Web Server', 'Certificate Sign']) expect(text).not.toContain(part)
    expect(verdict('banco.pem')).toBe('OK')
  })

  it('a name with another key is signed only where it is wanted, or once the earlier certificate is revoked', async () => {
    await create()
    const sign = (csr: string, out: string, ...args: string[]) =>
      inAuthority('sign', csr, '--yes', '--out', at(out), ...args)
    const first = request('banco', ...EC)
    expect(await sign(first, 'one.pem')).toMatchObject({ code: 0 })
    mkdirSync(at('folder'))
    expect(await sign(first, 'folder')).toMatchObject({ code: 0 })
    expect(verdict('folder/banco.pem')).toBe('OK')
    const other = request('other', ...EC, '-subj', '/O=Outro/CN=banco')
    const refused = await sign(other, 'two.pem')
    expect([refused.code, existsSync(at('two.pem'))]).toEqual([1, false])
    expect(refused.stderr).toMatch(/asks for the name banco with another key .* add --replace/)
    expect(await sign(other, 'two.pem', '--replace')).toMatchObject({ code: 0 })
    expect(verdict('one.pem')).toBe('OK')
    await inAuthority('revoke', 'banco')
    expect(await sign(request('third', ...EC, '-subj', '/CN=banco'), 'three.pem')).toMatchObject({ code: 0 })
  })

  it('refuses a request that is forged, weak, foreign or none', async () => {
    await create()
    await issue('books')
    const good = request('good', ...EC)
    const der = Buffer.from(
      openssl(['req', '-in', good, '-outform', 'PEM']).replaceAll(/-----.*-----|\s/g, ''),
      'base64',
    )
    const forged = Buffer.from(der)
    forged.write('evil', forged.indexOf('good'))
    writeFileSync(at('forged.csr'), forged)
    writeFileSync(at('good.der'), der)
    writeFileSync(at('huge.csr'), 'A'.repeat(100_000))
    writeFileSync(at('key.csr'), readFileSync(good, 'utf8') + readFileSync(at('good.key'), 'utf8'))
    writeFileSync(at('two.csr'), readFileSync(good, 'utf8').repeat(2))
    writeFileSync(at('cut.csr'), der.subarray(0, -9))
    const refused: Record<string, RegExp> = {
      [at('forged.csr')]: /not signed with its own key/,
      [request('weak', '-newkey', 'rsa:1024')]: /RSA 1024 bits, which is too weak/,
      [request('md5', '-newkey', 'rsa:2048', '-md5')]: /too weak or not known/,
      [request('sha1', '-newkey', 'rsa:2048', '-sha1')]: /too weak or not known/,
      [request('curve', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1')]: /a curve that is not accepted/,
      [request('edwards', '-newkey', 'ed25519')]: /Ed25519, which is not accepted/,
      [request('authority', '-key', join(folder, 'ca.key'))]: /the key of the authority itself/,
      [request('books', ...EC)]: /that of a certificate for app/,
      [request('control', ...EC, '-subj', '/CN=a\\\u0007b')]: /control characters/,
      [at('huge.csr')]: /longer than 64 KiB/,
      [at('key.csr')]: /holds a private key/,
      [at('two.csr')]: /holds 2 requests/,
      [at('cut.csr')]: /./,
      [join(folder, 'ca.pem')]: /holds no certificate request/,
    }
    for (const [file, why] of Object.entries(refused)) {
      const ended = await inAuthority('sign', file, '--yes', '--out', at('out.pem'))
      expect([file, ended.code, ended.stderr]).toEqual([file, 1, expect.stringMatching(why)])
    }
    expect([existsSync(at('out.pem')), await listed()]).toEqual([false, [expect.objectContaining({ name: 'books' })]])
    expect(await inAuthority('sign', at('good.der'), '--yes', '--out', at('out.pem'))).toMatchObject({ code: 0 })

    // A key that others may know stays refused.
    await inAuthority('revoke', 'good', '--because', 'key-compromise')
    const again = await inAuthority('sign', good, '--yes', '--out', at('again.pem'))
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('was revoked because others may know it')])
  })

  it('several processes at once: one authority, every certificate on record, every revocation on the list', async () => {
    const created = await Promise.all([1, 2, 3].map(() => certs('authority', 'create', '--out', folder)))
    expect(created.map(({ code }) => code).sort()).toEqual([0, 1, 1])
    expect(readdirSync(work)).toEqual(['authority'])
    const names = ['a', 'b', 'c', 'd', 'e']
    const ended: Ended[] = await Promise.all(names.map((name) => issue(name)))
    expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0))
    await Promise.all(names.map((name) => inAuthority('revoke', name)))
    expect(names.map((name) => verdict(`${name}.pem`))).toEqual(names.map(() => 'certificate revoked'))
    expect((await listed()).map(({ state }) => state)).toEqual(names.map(() => 'revoked'))
    expect(readdirSync(folder).sort()).toEqual(['ca.key', 'ca.pem', 'crl.pem', 'issued', 'revoked'])
  })

  it.skipIf(!canMount)(
    'a full disk leaves neither half a certificate nor a record of one (with mount, as root)',
    async () => {
      mountSmall(at('small'), '256k')
      folder = at('small/authority')
      await create()
      const disk = fillerIn(at('small'))
      disk.leave(0)
      const full = await issue('books')
      expect([full.code, full.stderr]).toEqual([2, expect.stringContaining('the disk is full')])
      expect(existsSync(at('books.key')) || existsSync(at('books.pem'))).toBe(false)
      disk.remove()
      expect(await listed()).toEqual([])
      await issue('books')
      disk.leave(0)
      const list = readFileSync(join(folder, 'crl.pem'), 'utf8')
      expect(await inAuthority('revoke', 'books')).toMatchObject({ code: 2 })
      disk.remove()
      expect(readFileSync(join(folder, 'crl.pem'), 'utf8')).toBe(list)
      expect(await inAuthority('revoke', 'books')).toMatchObject({ code: 0 })
      expect(verdict('books.pem')).toBe('certificate revoked')
    },
  )

  it('a folder that cannot be written, a damaged record and a foreign key are said, and nothing is issued', async () => {
    await create()
    const nowhere = await issue('books', '--out', at('none'))
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('there is no folder')])
    rmSync(join(folder, 'issued'), { recursive: true })
    writeFileSync(join(folder, 'issued'), '')
    expect((await issue('books')).code).not.toBe(0)
    expect(existsSync(at('books.key'))).toBe(false)
    rmSync(join(folder, 'issued'))
    mkdirSync(join(folder, 'issued'))
    writeFileSync(join(folder, 'issued/00.json'), '{"serial"')
    expect(await inAuthority('authority', 'list')).toMatchObject({ code: 1, stderr: /00.json is no record/ as never })
    rmSync(join(folder, 'issued/00.json'))
    openssl(['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', join(folder, 'ca.key')])
    chmodSync(join(folder, 'ca.key'), 0o600)
    expect(await issue('books')).toMatchObject({ code: 1, stderr: /is not the key of ca.pem/ as never })
    expect(await certs('authority', 'show', '--authority', at('none'))).toMatchObject({ code: 1 })
  })

  it('an institution whose request was signed may call, and no app; once it is revoked, it may not', async () => {
    await create()
    expect((await issue('books')).code).toBe(0)
    expect(await inAuthority('issue', 'gateway', '--for', 'forwarding', '--out', folder)).toMatchObject({ code: 0 })
    expect(await inAuthority('sign', request('banco', ...EC), '--yes')).toMatchObject({ code: 0 })
    const trust = [{ environment: 'production', chain: join(folder, 'ca.pem'), crl: [join(folder, 'crl.pem')] }]
    const site = await createSite({ callbacks: { ...BASE_CALLBACKS, trust } })
    const gateway = await startTestGateway(site)
    const body = JSON.stringify({ id: 'one', status: 'PAID' })
    const call = (name = 'banco') =>
      callByOpenssl(
        gateway.callbacks.port,
        ['-cert', at(`${name}.pem`), '-key', at(`${name}.key`), '-CAfile', join(site.certs, 'server-ca.crt')],
        `POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    expect(await call()).toMatch(/^HTTP\/1\.1 2/)
    for (const name of ['books', 'gateway']) expect(await call(name)).toMatch(/^(HTTP\/1\.1 403|$)/)
    expect(gateway.lines).toContainEqual(expect.objectContaining({ code: 'caller_not_allowed' }))
    await inAuthority('revoke', 'banco')
    await gateway.reload(loadConfig(site.configFile))
    expect(await call()).toMatch(/^(HTTP\/1\.1 403|$)/)
    expect(gateway.lines).toContainEqual(expect.objectContaining({ code: 'certificate_revoked' }))
  })
})
