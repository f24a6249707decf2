import type { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { partsOf } from '../certificates/files/file-parts.ts'
import { certificatesOfBytes, problemsOf } from '../certificates/files/pem.ts'
import { privateKeyOfBytes } from '../certificates/files/private-key.ts'
import { messageOf } from '../platform/errors.ts'
import { COMMAND } from '../platform/installation.ts'
import { readOptionFile } from './option-files.ts'
import { wrongUsage } from './output.ts'

/** Files that options name. Everything throws PortariaError `request_invalid` with the option, the file and what to do. */

/** A client certificate with full chain, and its key, PEM. @param names of the options, before `cert` and `key` */
export function readCaller(cert: string, key: string, names = '--'): { certificate: string; privateKey: string } {
  const certificates = readCertificates(`${names}cert`, cert)
  const privateKey = readPem(`${names}key`, key, (bytes, file) =>
    privateKeyOfBytes(bytes, file, { file, configKey: `${names}key` }),
  )
  if (certificates[0]?.checkPrivateKey(privateKey) !== true)
    throw wrongUsage(
      `${names}key ${key} is not the key of the first certificate in ${names}cert ${cert}: ` +
        "give the pair that belongs together, the caller's own certificate first",
    )
  const pair = {
    certificate: certificates.join(''),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
  try {
    createSecureContext({ cert: pair.certificate, key: pair.privateKey })
  } catch (cause) {
    throw wrongUsage(
      `${names}cert ${cert} cannot be used for TLS (${messageOf(cause)}): get another certificate`,
      cause,
    )
  }
  return pair
}

/** PEM, one text for each certificate. */
export function readAuthorities(file: string, option = '--ca'): string[] {
  return readCertificates(option, file).map(String)
}

function readCertificates(option: string, file: string): X509Certificate[] {
  return readPem(option, file, certificatesOfBytes)
}

function readPem<T>(option: string, file: string, read: (bytes: Buffer, what: string, option: string) => T): T {
  const bytes = readOptionFile(option, file)
  const what = `${option} ${file}`
  if (partsOf(bytes, what).some(({ type }) => type === 'PKCS#12'))
    throw wrongUsage(`${what} is a PKCS#12 file (.p12 or .pfx): ${remedyFor(option, file)}`)
  try {
    return read(bytes, what, option)
  } catch (cause) {
    throw wrongUsage(problemsOf(cause).join('; '), cause)
  }
}

function remedyFor(option: string, file: string): string {
  if (option.endsWith('ca'))
    return `take its CA certificates with: openssl pkcs12 -in ${file} -cacerts -nokeys -out ca.pem`
  return `make PEM files with: ${COMMAND} certs import ${file} --out-cert client.crt --out-key client.key`
}
