import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  activeFilesOf,
  chainFilesOf,
  moveChain,
  stageChain,
  watchedFoldersOf,
} from '../../src/certificates/chain-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

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
    expect(watchedFoldersOf(folder)).toEqual([folder])
  })

  it('a chain that is not there is named, so that its absence is told', () => {
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
