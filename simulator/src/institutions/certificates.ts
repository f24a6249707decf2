import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { issueAuthority, issueClient, makeEcKey } from '../folder/certificates.ts'
import { createWholeFolder, explainErrors, type NewFiles, publicFile, secretFile } from '../folder/disk.ts'
import type { Credentials } from '../webhooks/secure-contexts.ts'

export interface InstitutionCertificates {
  /** The chain that a receiver installs: the issuing authority and its root; absolute. */
  readonly chainFile: string
  readonly clientFiles: { readonly certificate: string; readonly privateKey: string }
  readonly credentials: Credentials
}

/** Those of an institution in its own folder, made at the first call. @throws SimulatorError `folder_unusable` */
export async function certificatesOf(folder: string, name: string): Promise<InstitutionCertificates> {
  const own = resolve(folder, name)
  const [chainFile, certificate, privateKey] = ['chain.pem', 'client.crt', 'client.key'].map((file) =>
    join(own, file),
  ) as [string, string, string]
  if (!existsSync(chainFile)) await createWholeFolder(own, () => makeFiles(name, new Date()))
  return explainErrors(own, async () => ({
    chainFile,
    clientFiles: { certificate, privateKey },
    credentials: { certificate: readFileSync(certificate, 'utf8'), privateKey: readFileSync(privateKey, 'utf8') },
  }))
}

async function makeFiles(name: string, now: Date): Promise<NewFiles> {
  const root = await issueAuthority({ name: `Simulated ${name} root`, now })
  const issuer = await issueAuthority({ name: `Simulated ${name} CA`, issuer: root, now })
  const key = await makeEcKey()
  const leaf = await issueClient({ name: `Simulated ${name}`, key, issuer, now })
  return {
    'chain.pem': publicFile(issuer.cert + root.cert),
    'client.crt': publicFile(leaf + issuer.cert),
    'client.key': secretFile(key),
  }
}
