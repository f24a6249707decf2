import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { messageOf, SimulatorError, systemCodeOf } from './errors.ts'

/** The text of the file that an option names. @throws SimulatorError `request_invalid` */
export function readOption(option: string, file: string): string {
  return readBytes(option, file).toString()
}

/** @param file `-` is standard input. @throws SimulatorError `request_invalid` */
export function readBytes(option: string, file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file)
  } catch (error) {
    const problem = systemCodeOf(error) === 'ENOENT' ? 'it does not exist' : messageOf(error)
    throw wrong(`${option} ${file} cannot be read: ${problem}; name a file that this user may read`)
  }
}

export function certificatesIn(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
}

/** Certificates of authorities, PEM. @throws SimulatorError `request_invalid` */
export function readAuthorities(option: string, file: string): string {
  const certificates = certificatesIn(readOption(option, file))
  if (certificates.length === 0) throw wrong(`${option} ${file} has no certificate: give PEM with BEGIN CERTIFICATE`)
  try {
    for (const one of certificates) new X509Certificate(one)
  } catch (error) {
    throw wrong(`${option} ${file} has a damaged certificate: ${messageOf(error)}`)
  }
  return certificates.join('\n')
}

function wrong(message: string): SimulatorError {
  return new SimulatorError('request_invalid', message)
}
