import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SimulatorError } from '../errors.ts'
import { explainErrors, publicFile, replaceFile } from '../folder/disk.ts'
import { ENVIRONMENTS, type Environment } from '../interfaces.ts'
import type { Laboratory } from './laboratory.ts'

/** Absolute paths. */
export interface ChainFiles {
  /** What Document 1 says to install. */
  readonly chain: string
  /** The issuing certificate, to pin. */
  readonly issuer: string
}

const README = 'conformance-README.txt'

/**
 * Writes the public certificates of a test CA, the same bytes each time. Files that are the same already are left alone.
 * @throws SimulatorError `folder_unusable`; `request_invalid` where a file of this name is not of a test CA
 */
export async function writeChains(laboratory: Laboratory, path: string): Promise<Record<Environment, ChainFiles>> {
  const folder = resolve(path)
  const contents = Object.fromEntries([
    [README, readmeOf()],
    ...ENVIRONMENTS.flatMap((environment) => {
      const { chain, issuer } = laboratory.environments[environment]
      return [
        [`conformance-${environment}.pem`, chain],
        [`conformance-${environment}-issuer.pem`, issuer],
      ]
    }),
  ]) as Record<string, string>
  await explainErrors(folder, async () => {
    await mkdir(folder, { recursive: true })
    const changed = Object.entries(contents).filter(([file, content]) => isOther(join(folder, file), content))
    for (const [file] of changed) requireOurs(join(folder, file))
    for (const [file, content] of changed) await replaceFile(folder, file, publicFile(content))
  })
  const filesOf = (environment: Environment) => ({
    chain: join(folder, `conformance-${environment}.pem`),
    issuer: join(folder, `conformance-${environment}-issuer.pem`),
  })
  return { production: filesOf('production'), sandbox: filesOf('sandbox') }
}

function isOther(file: string, content: string): boolean {
  return !existsSync(file) || readFileSync(file, 'utf8') !== content
}

/** A chain of the real service is never replaced. */
function requireOurs(file: string): void {
  if (!existsSync(file) || file.endsWith(README) || isOfLaboratory(readFileSync(file))) return
  throw new SimulatorError(
    'request_invalid',
    `${file} is no certificate of a test CA, and is left as it is: name another folder`,
  )
}

function isOfLaboratory(pem: Buffer): boolean {
  try {
    return /^CN=Conformance test /m.test(new X509Certificate(pem).subject)
  } catch {
    return false
  }
}

function readmeOf(): string {
  return `Chains of the test CA of "portaria conformance", in the place of the chains of the service.

conformance-production.pem          install it as the trusted client chain (Document 1, Authentication 4)
conformance-production-issuer.pem   the issuing certificate of that chain: accept only callers that it issued
conformance-sandbox.pem and conformance-sandbox-issuer.pem are those of the other environment.

The keys are yours alone, in the folder of the test CA. Remove these chains from the receiver before it goes into production.
`
}
