/** Changes of an open folder. Files are added in an order that makes an interrupted change count as not made. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../interfaces.ts'
import { issueClient, issueServer, type KeyPair, makeEcKey } from './certificates.ts'
import { addFile, publicFile, replaceFile, secretFile } from './disk.ts'
import { makeServiceAuthority, serviceName } from './first-start.ts'
import * as layout from './layout.ts'
import type { FolderFiles } from './read.ts'

/** The key stays, so that one file changes and the pair always fits. */
export async function renewServer(
  folder: string,
  { server, serverAuthority }: FolderFiles,
  now: Date,
  hostNames: readonly string[],
): Promise<void> {
  const leaf = await issueServer({ key: server.key, issuer: serverAuthority, now, hostNames })
  await replaceFile(folder, layout.SERVER.cert, publicFile(leaf + serverAuthority.cert))
}

/** Adds the next generation's intermediate and chain. Its authority file, which makes it the published one, comes last. */
export async function rotate(folder: string, root: KeyPair, environment: Environment, now: Date): Promise<void> {
  const fileOf = {
    authority: (generation: number) => layout.authorityFile(environment, generation),
    chains: (generation: number) => layout.chainFile(environment, generation),
  }
  // A number that an interrupted rotation has used is skipped.
  const used = Object.entries(fileOf).map(([subfolder, of]) =>
    layout.highestGeneration(readdirSync(join(folder, subfolder)), of),
  )
  const generation = 1 + Math.max(...used)
  const authority = await makeServiceAuthority(environment, { generation, root, now })
  await addFile(folder, fileOf.chains(generation), publicFile(authority.cert + root.cert))
  await addFile(folder, fileOf.authority(generation), secretFile(authority.cert + authority.key))
}

/** Adds the client certificate of the published generation. The certificate, which makes it the active one, comes after its key. */
export async function activate(
  folder: string,
  { published, publishedGeneration, activeGeneration }: FolderFiles['environments'][Environment],
  environment: Environment,
  now: Date,
): Promise<void> {
  if (activeGeneration === publishedGeneration) return
  const files = layout.clientFiles(environment, publishedGeneration)
  const key = await keyIn(folder, files.key)
  const leaf = await issueClient({ name: serviceName(environment), key, issuer: published, now })
  await addFile(folder, files.cert, publicFile(leaf + published.cert))
}

/** An interrupted activation leaves a key, which is used. */
async function keyIn(folder: string, file: string): Promise<string> {
  if (!existsSync(join(folder, file))) await addFile(folder, file, secretFile(await makeEcKey()))
  return readFileSync(join(folder, file), 'utf8')
}
