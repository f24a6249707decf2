import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  activeFilesOf,
  chainFilesOf,
  moveChain,
  observedFoldersOf,
  stageChain,
} from '../../../src/certificates/trust/chain-folder.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function trustFolder() {
  const folder = join(temporaryFolder(), 'trust')
  mkdirSync(folder)
  const chain = join(folder, 'production.pem')
  writeFileSync(chain, 'first')
  return { folder, chain }
}

const summary = (chain: string) => chainFilesOf(chain).map(({ name, state }) => `${name} ${state}`)

describe('the chains of one environment', () => {
  it('begin as one file, are joined by others of the folder beside it, and leave one by one', () => {
    const { folder, chain } = trustFolder()
    expect(activeFilesOf(chain)).toEqual([chain])

    stageChain(chain, '2027', 'second')
    expect(summary(chain)).toEqual(['production active', '2027 staged'])
    expect(activeFilesOf(chain)).toEqual([chain])

    moveChain(chain, '2027', { from: 'staged', to: 'active' })
    expect(activeFilesOf(chain)).toEqual([chain, join(folder, 'production/2027.pem')])
    expect(readFileSync(join(folder, 'production/2027.pem'), 'utf8')).toBe('second')

    moveChain(chain, 'production', { from: 'active', to: 'retired' })
    expect(summary(chain)).toEqual(['2027 active', 'production retired'])
    expect(activeFilesOf(chain)).toEqual([join(folder, 'production/2027.pem')])
    expect(existsSync(chain)).toBe(false)
  })

  it('may stand in a folder alone; what is no chain is left out', () => {
    const folder = join(temporaryFolder(), 'production')
    mkdirSync(join(folder, 'staged'), { recursive: true })
    for (const name of ['b.pem', 'a.pem', '.a.pem.swp', 'README', 'staged/c.pem'])
      writeFileSync(join(folder, name), name)

    expect(summary(folder)).toEqual(['a active', 'b active', 'c staged'])
    expect(observedFoldersOf(folder)).toEqual([folder])
  })

  it('may be a file without an ending, and has its folder beside it all the same', () => {
    const chain = join(temporaryFolder(), 'service-chain')
    writeFileSync(chain, 'first')
    const staged = stageChain(chain, 'new', 'second')
    expect(staged.file).toBe(join(`${chain}.d`, 'staged/new.pem'))
    moveChain(chain, 'new', { from: 'staged', to: 'active' })
    expect(activeFilesOf(chain)).toEqual([chain, join(`${chain}.d`, 'new.pem')])
  })

  it('no two active ones ever have the same name', () => {
    const { chain } = trustFolder()
    moveChain(chain, 'production', { from: 'active', to: 'retired' })
    writeFileSync(chain, 'put there by hand')
    expect(moveChain(chain, 'production', { from: 'retired', to: 'active' })).toMatchObject({ name: 'production-2' })
    expect(summary(chain)).toEqual(['production active', 'production-2 active'])
  })

  it('what a strict umask would hide from the gateway is readable for it', () => {
    const { folder, chain } = trustFolder()
    const before = process.umask(0o077)
    try {
      stageChain(chain, 'new', 'second')
    } finally {
      process.umask(before)
    }
    const modes = ['production', 'production/staged', 'production/staged/new.pem'].map(
      (name) => statSync(join(folder, name)).mode & 0o777,
    )
    expect(modes).toEqual([0o755, 0o755, 0o644])
  })

  it('a chain that is not there is named, so that its absence is reported', () => {
    const missing = join(temporaryFolder(), 'production.pem')
    expect(activeFilesOf(missing)).toEqual([missing])
  })

  it('a retired chain never takes the place of an earlier one of its name', () => {
    const { chain } = trustFolder()
    for (const text of ['one', 'two']) {
      stageChain(chain, 'old', text)
      moveChain(chain, 'old', { from: 'staged', to: 'retired' })
    }
    expect(summary(chain)).toEqual(['production active', 'old-2 retired', 'old retired'])
  })

  it.each([
    ['a name that is taken', 'production', 'a chain production is active already'],
    ['a way out of the folder', '../sandbox', '"../sandbox" cannot be a chain\'s name'],
    ['a hidden file', '.production', '".production" cannot be a chain\'s name'],
  ])('%s is refused', (_what, name, words) => {
    expect(() => stageChain(trustFolder().chain, name, 'x')).toThrow(words)
  })

  it('what is not where it should move from is refused, with the place where it is', () => {
    const { chain } = trustFolder()
    expect(() => moveChain(chain, 'unknown', { from: 'staged', to: 'active' })).toThrow('there is no chain unknown')
    expect(() => moveChain(chain, 'production', { from: 'staged', to: 'active' })).toThrow(
      'the chain production is active, not staged',
    )
  })
})
