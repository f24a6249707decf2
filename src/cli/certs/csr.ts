import { existsSync, rmSync } from 'node:fs'
import { Command, Option } from 'commander'
import {
  KEY_TYPES,
  type KeyType,
  makeSigningRequest,
  type SubjectPart,
} from '../../certificates/files/signing-request.ts'
import { writeNewFile } from '../../certificates/files/written-files.ts'
import { SUBJECT_ATTRIBUTES } from '../../platform/certificate-subject.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { action, printText } from '../output.ts'

interface CsrOptions {
  readonly name: string[]
  readonly keyType: KeyType
  readonly organization?: string
  readonly subject?: string[]
  readonly key: string
  readonly out: string
}

export function csrCommand(): Command {
  return new Command('csr')
    .description('Create a private key and a certificate signing request')
    .requiredOption('--name <dns...>', 'DNS names of the certificate, the main one first')
    .addOption(new Option('--key-type <type>', 'type of the key').choices(KEY_TYPES).default('p256'))
    .option('--organization <name>', 'organization in the subject of the certificate, at most 64 characters')
    .option(
      '--subject <attribute=value...>',
      'further attributes of the subject, such as serialNumber=00000000000191 organizationIdentifier=OFBBR-…',
    )
    .requiredOption('--key <file>', 'file for the new private key; must not exist')
    .requiredOption('--out <file>', 'file for the request; must not exist')
    .action(action(makeRequest))
}

async function makeRequest({ name: names, keyType, organization, key, out, ...rest }: CsrOptions): Promise<void> {
  const subject = rest.subject?.map(partOf)
  for (const path of [key, out]) if (existsSync(path)) throw explainExisting(path)
  const { privateKey, request } = await makeSigningRequest({ names, keyType, organization, subject })
  writeNewFile({ path: key, content: privateKey, mode: 0o600 })
  try {
    writeNewFile({ path: out, content: request, mode: 0o644 })
  } catch (error) {
    // The key was created here, and no request for it exists.
    rmSync(key)
    throw error
  }
  await printText(`wrote the private key ${key}: it stays on this machine; keep a copy of it where you keep secrets
wrote the request ${out}

Next: send ${out} to your certificate authority (never the key). With what it sends back:

  ${COMMAND} certs import ISSUED.pem --key ${key} --config FILE
`)
}

function partOf(written: string): SubjectPart {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(written) ?? []
  const attribute = SUBJECT_ATTRIBUTES.find((one) => one === name)
  if (attribute !== undefined && attribute !== 'CN') return { attribute, value }
  const known = SUBJECT_ATTRIBUTES.filter((one) => one !== 'CN').join(', ')
  throw new PortariaError(
    'request_invalid',
    say`--subject "${{ written }}" is no attribute with a value, such as O=Shop: the attributes are ${{ known }}; the common name is the first --name`,
  )
}

function explainExisting(path: string): PortariaError {
  return new PortariaError(
    'conflict',
    say`${{ path }} exists already and is never overwritten: name another file, or move it away if nothing uses it`,
  )
}
