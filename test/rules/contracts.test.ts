import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../src')
const CONTRACTS = readdirSync(join(SRC, 'api'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(^|[/-])contract\.ts$/.test(file),
)

/** What a file loads: imports of types alone load nothing. */
function loadedBy(file: string): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type )(?:[^'\n]*|\{[^}]*\}) ?from '([^']+)'/gm,
  )
  return [...imports].map(([, specifier = '']) =>
    specifier.startsWith('.') ? relative(SRC, resolve(dirname(file), specifier)) : specifier,
  )
}

/** What must not be loaded, each with the imports that lead to it. */
function violationsOf(contract: string): string[] {
  const seen = new Set<string>()
  const violations: string[] = []
  function walk(file: string, path: readonly string[]): void {
    if (seen.has(file)) return
    seen.add(file)
    const isOwn = file.endsWith('.ts')
    const isAllowed = isOwn
      ? !/^(store|config|cli|gateway)\/|\/(endpoints|served)\.ts$/.test(file)
      : /^(zod$|node:)/.test(file)
    if (!isAllowed) violations.push([...path, file].join(' -> '))
    else if (isOwn) for (const target of loadedBy(join(SRC, file))) walk(target, [...path, file])
  }
  walk(join('api', contract), [])
  return violations
}

it('there are contracts', () => expect(CONTRACTS).toContain('consumers/contract.ts'))

it.each(CONTRACTS)('src/api/%s loads no express, no store and no configuration', (contract) => {
  expect(violationsOf(contract)).toEqual([])
})
