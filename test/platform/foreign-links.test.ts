import {
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operatorToken } from '../../src/api/auth/operator-token.ts'
import { makeDevelopmentCertificates } from '../../src/certificates/development/development.ts'
import { replaceFiles, writeNewFile } from '../../src/certificates/files/written-files.ts'
import { chainFilesOf, moveChain, stageChain } from '../../src/certificates/trust/chain-folder.ts'
import { makeFolder } from '../../src/platform/folder.ts'
import { inFolderOf } from '../../src/platform/foreign-links.ts'
import { openForWriting } from '../../src/store/sqlite/database/connection.ts'
import { lockDatabase } from '../../src/store/sqlite/database/lock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SOMEBODY = 65_534
const REFUSED = /symbolic link of user 65534, and root does not write through other users' links: name its target/

/** A folder of another user beside one of root's, whose file and content must stay as they are. */
function folders() {
  const folder = temporaryFolder()
  const [theirs, roots] = [join(folder, 'theirs'), join(folder, 'roots')]
  for (const path of [theirs, roots]) mkdirSync(path)
  const precious = join(roots, 'precious')
  writeFileSync(precious, 'of root', { mode: 0o600 })
  chownSync(theirs, SOMEBODY, SOMEBODY)
  function link(name: string, target: string, uid = SOMEBODY): string {
    const path = join(theirs, name)
    symlinkSync(target, path)
    lchownSync(path, uid, uid)
    return path
  }
  function expectUntouched(): void {
    expect(readdirSync(roots)).toEqual(['precious'])
    expect(readFileSync(precious, 'utf8')).toBe('of root')
    expect([statSync(precious).uid, statSync(precious).mode & 0o777]).toEqual([0, 0o600])
  }
  return { folder, theirs, roots, precious, link, expectUntouched }
}

const CERTIFICATE = { content: 'new', mode: 0o644 }

describe.skipIf(process.geteuid?.() !== 0)('root, in a folder of another user (as root)', () => {
  it('writes new files and replaces what is there, as that user does', () => {
    const { theirs } = folders()
    const path = join(theirs, 'certs/server.key')
    makeFolder(join(theirs, 'certs'))
    writeNewFile({ path, content: 'old', mode: 0o600 })
    chownSync(path, SOMEBODY, SOMEBODY)
    expect(replaceFiles([{ path, content: 'new', mode: 0o600 }])).toEqual({
      replaced: [path],
      kept: [`${path}.previous`],
    })
    expect([readFileSync(path, 'utf8'), statSync(path).uid]).toEqual(['new', SOMEBODY])
    const chain = join(theirs, 'trust/production.pem')
    stageChain(chain, 'second', 'PEM')
    moveChain(chain, 'second', { from: 'staged', to: 'active' })
    expect(chainFilesOf(chain).map(({ name, state }) => `${name} ${state}`)).toEqual(['second active'])
    const database = join(theirs, 'data/portaria.db')
    const unlock = lockDatabase(database, 0)
    openForWriting(database).close()
    unlock()
  })

  it('follows no link of theirs that is a file: nothing behind it is read, made or changed', () => {
    const { precious, roots, link, expectUntouched } = folders()
    const [there, missing] = [link('there', precious), link('missing', join(roots, 'made'))]
    for (const path of [there, missing]) {
      expect(() => writeNewFile({ path, ...CERTIFICATE })).toThrow(/exists already/)
      expect(() => replaceFiles([{ path, ...CERTIFICATE }])).toThrow(REFUSED)
      expect(() => openForWriting(path)).toThrow(REFUSED)
    }
    const database = link('portaria.db', join(roots, 'made.db'))
    link('portaria.db.lock', join(roots, 'made.lock'))
    expect(() => lockDatabase(database, 0)).toThrow(REFUSED)
    expect(() => operatorToken(missing, true)).toThrow(/it exists already/)
    expectUntouched()
  })

  it('follows no link of theirs on the way to a file', async () => {
    const { theirs, roots, link, expectUntouched } = folders()
    link('certs', roots)
    const path = join(theirs, 'certs/server.crt')
    expect(() => writeNewFile({ path, ...CERTIFICATE })).toThrow(REFUSED)
    expect(() => replaceFiles([{ path, ...CERTIFICATE }])).toThrow(REFUSED)
    expect(() => replaceFiles([{ path: join(theirs, 'certs/precious'), ...CERTIFICATE }])).toThrow(REFUSED)
    expect(() => makeFolder(join(theirs, 'certs/new/folder'))).toThrow(REFUSED)
    expect(() => stageChain(join(theirs, 'certs/production.pem'), 'second', 'PEM')).toThrow(REFUSED)
    expect(() => lockDatabase(join(theirs, 'certs/portaria.db'), 0)).toThrow(REFUSED)
    expect(() => operatorToken(join(theirs, 'certs/token'), true)).toThrow(REFUSED)
    await expect(makeDevelopmentCertificates(join(theirs, 'certs'))).rejects.toThrow(REFUSED)
    expectUntouched()

    mkdirSync(join(theirs, 'trust/production'), { recursive: true })
    link('trust/production/staged', roots)
    expect(() => stageChain(join(theirs, 'trust/production.pem'), 'second', 'PEM')).toThrow(REFUSED)
    expectUntouched()
  })

  it('follows links that root made, such as certs to a folder elsewhere', () => {
    const { theirs, roots, link } = folders()
    link('certs', '../roots', 0)
    link('current', join(theirs, 'certs'), 0)
    const path = join(theirs, 'current/server.crt')
    writeNewFile({ path, content: 'old', mode: 0o644 })
    replaceFiles([{ path, ...CERTIFICATE }])
    expect(readFileSync(join(roots, 'server.crt'), 'utf8')).toBe('new')
    openForWriting(join(roots, 'portaria.db')).close()
    const database = link('portaria.db', join(roots, 'portaria.db'), 0)
    lockDatabase(database, 0)()
    openForWriting(database).close()
    expect(existsSync(join(roots, 'portaria.db.lock'))).toBe(true)
  })

  it("follows their link to their own database, and replaces root's link to a certificate by the certificate", () => {
    const { theirs, link } = folders()
    mkdirSync(join(theirs, 'disk'))
    writeFileSync(join(theirs, 'disk/portaria.db'), '')
    chownSync(join(theirs, 'disk/portaria.db'), SOMEBODY, SOMEBODY)
    openForWriting(link('portaria.db', 'disk/portaria.db')).close()

    writeFileSync(join(theirs, 'server-1.crt'), 'old')
    const path = link('server.crt', 'server-1.crt', 0)
    expect(replaceFiles([{ path, ...CERTIFICATE }]).kept).toEqual([`${path}.previous`])
    expect([lstatSync(path).isFile(), readFileSync(path, 'utf8')]).toEqual([true, 'new'])
    expect(readFileSync(join(theirs, 'server-1.crt'), 'utf8')).toBe('old')
  })

  it('goes on in the folder that it has found, whatever takes its place', () => {
    const { theirs, roots, link, expectUntouched } = folders()
    const certs = join(theirs, 'certs')
    mkdirSync(certs)
    inFolderOf(join(certs, 'server.crt'), (path) => {
      renameSync(certs, join(theirs, 'moved'))
      link('certs', roots)
      writeFileSync(path, 'new', { flag: 'wx' })
    })
    expect(readFileSync(join(theirs, 'moved/server.crt'), 'utf8')).toBe('new')
    expectUntouched()
  })

  it('names the file that was meant when the system refuses', () => {
    const { theirs } = folders()
    const path = join(theirs, 'folder')
    mkdirSync(path)
    expect(() => inFolderOf(path, (at) => writeFileSync(at, ''))).toThrow(
      `EISDIR: illegal operation on a directory, open '${path}'`,
    )
    expect(() => writeNewFile({ path: join(theirs, 'missing/file'), ...CERTIFICATE })).toThrow(/there is no folder/)
  })
})
